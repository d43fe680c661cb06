"""hostile.py KIND: a schedule that no compiler likes."""
import random
import sys

KERNEL = """target sm_90a
kernel k(x: f32[N], out y: f32[N])
where 4 <= N <= 1048576
grid tile(i: cdiv(N, 1024))
roles { all: warps 8 }
role all {
"""
DEPTH = 10000
SIZE = 2 << 20

random.seed(1)
text = {
    "large": lambda: "// " + "x" * (10 << 20),
    "parentheses": lambda: KERNEL + "let a = " + "(" * DEPTH + "1" + ")" * DEPTH + "\n}\n",
    "blocks": lambda: KERNEL + "if true {\n" * DEPTH + "}\n" * DEPTH + "}\n",
    "unary": lambda: KERNEL + "let a = " + "-" * DEPTH + "1\n}\n",
    "lines": lambda: KERNEL + "let a = b\n" * (SIZE // 10),
    "bytes": lambda: "".join(chr(random.randrange(128)) for _ in range(SIZE)),
}[sys.argv[1]]()
sys.stdout.write(text)
