"""with_ptxas.py END LOG COMMAND...: runs the command with another ptxas on PATH.

It prints the log (@STORE@ stands for the line of the PTX's first store) or, for 'endless:N', N bytes; then it writes
its arguments as the cubin and ends with status END. 'kill': by a signal; 'nothing': well, but without a cubin.
"""
import os
import subprocess
import sys
import tempfile

PTXAS = """#!{python}
import os, signal, sys
end, log = {end!r}, {log!r}
ptx, cubin = sys.argv[-3], sys.argv[-1]
lines = open(ptx).read().split("\\n")
if log.startswith("endless:"):
    sys.stdout.write("x" * int(log[8:]))
else:
    store = 1 + next(number for number, line in enumerate(lines) if "st.global" in line)
    sys.stdout.write(open(log).read().replace("@STORE@", str(store)))
sys.stdout.flush()
if end == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
if end == "0":
    open(cubin, "w").write(" ".join(sys.argv[1:]))
sys.exit(0 if end == "nothing" else int(end))
"""

end, log, command = sys.argv[1], sys.argv[2], sys.argv[3:]
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "ptxas")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PTXAS.format(python=sys.executable, end=end, log=log))
    os.chmod(path, 0o755)
    path = folder + os.pathsep + os.environ.get("PATH", "")
    status = subprocess.run(command, env={**os.environ, "PATH": path}, check=False).returncode
sys.exit(status)
