"""Compares the examples with the libraries' kernels on the GPU at hand, side by side in one run.

    scripts/bench.sh                     # compiles the examples into build/gpu and calls this
    python3 bench/compare.py build/gpu   # on a machine with PyTorch and a GPU

Inputs are random and rotate through more than the L2 cache; a CUDA graph of all sets hides launch gaps; times are medians.
Every output is checked against PyTorch in float32 before it is timed.
"""
import glob
import statistics
import sys

import torch

from launch import Kernel

FOLDER = sys.argv[1]
ONLY = sys.argv[2:]
BF16 = torch.bfloat16
torch.manual_seed(0)


def graphed(functions, repeats=15):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for function in functions:
            function()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for function in functions:
            function()
    times = []
    for _ in range(repeats + 3):
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / len(functions))
    return statistics.median(times[3:])


def sets(make, nbytes):
    return [make() for _ in range(max(2, min(48, (256 << 20) // nbytes + 1)))]


def poisoned(*shape, dtype=BF16):
    return torch.full(shape, float("nan"), device="cuda", dtype=dtype)


def error(got, want):
    return ((got.double() - want.double()).norm() / want.double().norm()).item()


def gemm():
    variants = {name: Kernel(f"{FOLDER}/{name}.ptx") for name in ("gemm", "gemm_n128")}
    print("GEMM bf16: time us, TFLOP/s, ratio to cuBLAS, relative error", flush=True)
    for m, n, k in [(4096, 4096, 4096), (8192, 8192, 8192), (4096, 14336, 4096), (4096, 4096, 14336), (2048, 2048, 7168),
                    (2048, 2048, 2048), (8192, 1024, 128), (1000, 1000, 1000), (512, 512, 512)]:
        data = sets(lambda: (torch.randn(m, k, device="cuda", dtype=BF16), torch.randn(n, k, device="cuda", dtype=BF16),
                             poisoned(m, n)), 2 * (m * k + n * k + m * n))
        peer = graphed([lambda a=a, b=b, c=c: torch.mm(a, b.t(), out=c) for a, b, c in data])
        line = f"{m}x{n}x{k}: cuBLAS {peer:.1f} {2 * m * n * k / peer / 1e6:.0f}"
        a, b, c = data[0]
        want = a.float() @ b.float().t()
        for name, kernel in variants.items():
            calls = [kernel.prepare(dict(M=m, N=n, K=k), dict(a=a, b=b, c=c), {}) for a, b, c in data]
            c.fill_(float("nan"))
            calls[0]()
            torch.cuda.synchronize()
            wrong = error(c, want)
            us = graphed(calls)
            line += f" | {name} {us:.1f} {2 * m * n * k / us / 1e6:.0f} {peer / us:.3f}x {wrong:.1e}"
        print(line, flush=True)


def timed(function, repeats=20):
    times = []
    for _ in range(repeats + 3):
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        function()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    return statistics.median(times[3:])


def copy_rate():
    x = torch.empty(1 << 31, dtype=torch.uint8, device="cuda")
    y = torch.empty_like(x)
    return 2 * x.numel() / timed(lambda: y.copy_(x)) / 1e3


def attention():
    from torch.nn.attention import SDPBackend, sdpa_kernel

    print("attention forward bf16: TFLOP/s, ratio to cuDNN, relative error", flush=True)
    for b, h, hk, s, d in [(4, 16, 16, 4096, 128), (1, 32, 32, 16384, 128), (8, 16, 16, 1024, 128), (2, 32, 8, 8192, 128),
                           (8, 16, 16, 2048, 64), (1, 2, 1, 1000, 128)]:
        kernels = {path.split("/")[-1][:-4]: Kernel(path) for path in sorted(glob.glob(f"{FOLDER}/att*_{d}.ptx"))}
        q = torch.randn(b, h, s, d, device="cuda", dtype=BF16)
        k, v = (torch.randn(b, hk, s, d, device="cuda", dtype=BF16) for _ in range(2))
        o = poisoned(b, h, s, d)
        dimensions, flops = dict(B=b, HQ=h, HK=hk, S=s, T=s, D=d), 4 * b * h * s * s * d
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            reference = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=h != hk)
            want = reference()
            peer = timed(reference)
        line = f"{b}x{h}({hk})x{s}x{d}: cuDNN {flops / peer / 1e6:.0f}"
        for name, kernel in kernels.items():
            o.fill_(float("nan"))
            call = kernel.prepare(dimensions, dict(q=q, k=k, v=v, o=o), dict(scale=1.4426950408889634 / d**0.5))
            call()
            torch.cuda.synchronize()
            wrong, us = error(o, want), timed(call)
            line += f" | {name} {flops / us / 1e6:.0f} {peer / us:.3f}x {wrong:.1e}"
        print(line, flush=True)


def rows():
    peak = copy_rate()
    print(f"rows, bf16: GB/s and share of the copy rate ({peak:.0f} GB/s)", flush=True)
    gain = {n: torch.randn(n, device="cuda", dtype=BF16) for n in (1024, 4096, 8192)}
    bias = {n: torch.randn(n, device="cuda", dtype=BF16) for n in gain}
    F = torch.nn.functional
    cases = [("rmsnorm", lambda x, n: F.rms_norm(x, (n,), gain[n], 1e-6)), ("softmax", lambda x, n: F.softmax(x, -1)),
             ("layernorm", lambda x, n: F.layer_norm(x, (n,), gain[n], bias[n], 1e-6))]
    for m, n in [(8192, 4096), (4096, 8192), (32768, 1024)]:
        for name, reference in cases:
            if ONLY and name not in ONLY and "rows" not in ONLY:
                continue
            data = sets(lambda: (torch.randn(m, n, device="cuda", dtype=BF16), poisoned(m, n)), 4 * m * n)
            peer = graphed([lambda x=x: reference(x, n) for x, _ in data])
            line = f"{name} {m}x{n}: torch {peer:.1f} us"
            for path in sorted(glob.glob(f"{FOLDER}/{name}_{n}*.ptx")):
                kernel = Kernel(path)
                x, y = data[0]
                tensors = dict(g=gain[n], b=bias[n])
                calls = [kernel.prepare(dict(M=m), dict(tensors, x=x, y=y), dict(eps=1e-6)) for x, y in data]
                y.fill_(float("nan"))
                calls[0]()
                torch.cuda.synchronize()
                wrong = error(y, reference(x.float(), n) if name == "softmax" else reference(x, n))
                us = graphed(calls)
                rate = 4 * m * n / us / 1e3
                line += f" | {path.split('_')[-1][:-4]} {us:.1f} us {rate:.0f} GB/s {rate / peak:.3f} {peer / us:.2f}x {wrong:.1e}"
            print(line, flush=True)


for case in (gemm, attention, rows):
    if not ONLY or case.__name__ in ONLY:
        case()
