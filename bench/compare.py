"""Compares the examples with the libraries' kernels on the GPU at hand, side by side in one run.

    scripts/gpu_bundle.sh                                # where the compiler is: compiles the examples into build/gpu
    python3 bench/compare.py build/gpu [gemm] [attention] [rows] [hash_insert]     # where PyTorch and a GPU are

Inputs are random and rotate through more than the L2 cache; a CUDA graph of all sets hides launch gaps; contestants take
turns, and times are medians. Every output is checked against PyTorch before it is timed.
"""
import ctypes
import glob
import statistics
import subprocess
import sys

import torch

from launch import Kernel, check

FOLDER = sys.argv[1]
ONLY = sys.argv[2:]
BF16 = torch.bfloat16
torch.manual_seed(0)


def capture(functions):
    """A CUDA graph that runs all functions once."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for function in functions:
            function()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for function in functions:
            function()
    return graph.replay


def once(function):
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    begin.record()
    function()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e3


def race(*contestants, repeats=15):
    """Median microseconds a call of each list of functions; they take turns, so that a drifting clock treats all alike."""
    replays = [capture(functions) for functions in contestants]
    times = [[] for _ in replays]
    for _ in range(repeats + 3):
        for replay, series in zip(replays, times):
            series.append(once(replay))
    return [statistics.median(series[3:]) / len(functions) for series, functions in zip(times, contestants)]


def sets(make, nbytes):
    return [make() for _ in range(max(2, min(48, (256 << 20) // nbytes + 1)))]


def poisoned(*shape):
    return torch.full(shape, float("nan"), device="cuda", dtype=BF16)


def load(pattern):
    return {path.split("/")[-1][:-4]: Kernel(path) for path in sorted(glob.glob(f"{FOLDER}/{pattern}.ptx"))}


def checked(call, output, want):
    """Relative error of one call whose output starts as NaN."""
    output.fill_(float("nan"))
    call()
    torch.cuda.synchronize()
    return ((output.double() - want.double()).norm() / want.double().norm()).item()


def gemm():
    variants = load("gemm*")
    print("GEMM bf16: time us, TFLOP/s, ratio to cuBLAS, relative error", flush=True)
    for m, n, k in [(4096, 4096, 4096), (8192, 8192, 8192), (4096, 14336, 4096), (4096, 4096, 14336), (2048, 2048, 7168),
                    (2048, 2048, 2048), (8192, 1024, 128), (1000, 1000, 1000), (512, 512, 512)]:
        data = sets(lambda: (torch.randn(m, k, device="cuda", dtype=BF16), torch.randn(n, k, device="cuda", dtype=BF16),
                             poisoned(m, n)), 2 * (m * k + n * k + m * n))
        want = data[0][0].float() @ data[0][1].float().t()
        wrong, calls = {}, {}
        for name, kernel in variants.items():
            calls[name] = [kernel.prepare(dict(M=m, N=n, K=k), dict(a=a, b=b, c=c), {}) for a, b, c in data]
            wrong[name] = checked(calls[name][0], data[0][2], want)
        peer, *ours = race([lambda a=a, b=b, c=c: torch.mm(a, b.t(), out=c) for a, b, c in data], *calls.values())
        line = f"{m}x{n}x{k}: cuBLAS {peer:.1f} {2 * m * n * k / peer / 1e6:.0f}"
        for name, us in zip(calls, ours):
            line += f" | {name} {us:.1f} {2 * m * n * k / us / 1e6:.0f} {peer / us:.3f}x {wrong[name]:.1e}"
        print(line, flush=True)


def attention():
    from torch.nn.attention import SDPBackend, sdpa_kernel

    print("attention forward bf16: TFLOP/s, ratio to cuDNN, relative error", flush=True)
    shapes = [(4, 16, 16, 4096, 128), (1, 32, 32, 16384, 128), (8, 16, 16, 1024, 128), (2, 32, 8, 8192, 128),
              (8, 16, 16, 2048, 64), (1, 2, 1, 1000, 128)]
    for (b, h, hk, s, d), causal in [(shape, causal) for causal in (False, True) for shape in shapes]:
        q = torch.randn(b, h, s, d, device="cuda", dtype=BF16)
        k, v = (torch.randn(b, hk, s, d, device="cuda", dtype=BF16) for _ in range(2))
        o = poisoned(b, h, s, d)
        dimensions, flops = dict(B=b, HQ=h, HK=hk, S=s, T=s, D=d), 4 * b * h * s * s * d
        if causal:
            flops = 2 * b * h * s * (s + 1) * d

        def peer():
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=h != hk)

        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            want = peer()
            wrong, calls = {}, {}
            for name, kernel in load(f"{'causal_att' if causal else 'att'}*_{d}").items():
                scalars = dict(scale=1.4426950408889634 / d**0.5)
                calls[name] = kernel.prepare(dimensions, dict(q=q, k=k, v=v, o=o), scalars)
                wrong[name] = checked(calls[name], o, want)
            base, *ours = race([peer], *([call] for call in calls.values()))
        line = f"{b}x{h}({hk})x{s}x{d}{' causal' if causal else ''}: cuDNN {flops / base / 1e6:.0f}"
        for name, us in zip(calls, ours):
            line += f" | {name} {flops / us / 1e6:.0f} {base / us:.3f}x {wrong[name]:.1e}"
        print(line, flush=True)


def copy_rate():
    """GB/s, read and written, of a large copy from device to device."""
    x = torch.empty(1 << 31, dtype=torch.uint8, device="cuda")
    y = torch.empty_like(x)
    return 2 * x.numel() / statistics.median(once(lambda: y.copy_(x)) for _ in range(15)) / 1e3


def rows():
    peak = copy_rate()
    print(f"rows, bf16: us, GB/s, share of the copy rate ({peak:.0f} GB/s), ratio to PyTorch, relative error", flush=True)
    gain = {n: torch.randn(n, device="cuda", dtype=BF16) for n in (1024, 4096, 8192)}
    bias = {n: torch.randn(n, device="cuda", dtype=BF16) for n in gain}
    F = torch.nn.functional
    cases = [("rmsnorm", lambda x, n: F.rms_norm(x, (n,), gain[n], 1e-6)), ("softmax", lambda x, n: F.softmax(x, -1)),
             ("layernorm", lambda x, n: F.layer_norm(x, (n,), gain[n], bias[n], 1e-6))]
    for m, n in [(8192, 4096), (4096, 8192), (32768, 1024)]:
        for name, reference in cases:
            data = sets(lambda: (torch.randn(m, n, device="cuda", dtype=BF16), poisoned(m, n)), 4 * m * n)
            want = reference(data[0][0].float(), n) if name == "softmax" else reference(data[0][0], n)
            wrong, calls = {}, {}
            for path, kernel in load(f"{name}_{n}_w*").items():
                fixed = dict(g=gain[n], b=bias[n])
                calls[path] = [kernel.prepare(dict(M=m), dict(fixed, x=x, y=y), dict(eps=1e-6)) for x, y in data]
                wrong[path] = checked(calls[path][0], data[0][1], want)
            peer, *ours = race([lambda x=x: reference(x, n) for x, _ in data], *calls.values())
            line = f"{name} {m}x{n}: torch {peer:.1f}"
            for path, us in zip(calls, ours):
                rate = 4 * m * n / us / 1e3
                line += f" | {path.split('_')[-1]} {us:.1f} {rate:.0f} {rate / peak:.3f} {peer / us:.2f}x {wrong[path]:.1e}"
            print(line, flush=True)


def hash_insert():
    from cuda.bindings import driver as cu

    torch.zeros(1, device="cuda")
    subprocess.run(["nvcc", "-O3", "-arch=native", "-cubin", "-o", f"{FOLDER}/hand.cubin", "bench/hash_insert.cu"], check=True)
    with open(f"{FOLDER}/hand.cubin", "rb") as file:
        module = check(cu.cuModuleLoadData(file.read()))
    hand = check(cu.cuModuleGetFunction(module, b"insert"))
    kernel = Kernel(f"{FOLDER}/examples/hash_insert.ptx")
    print("hash insertion: million keys/s by hand, by cake, ratio of times", flush=True)
    for n, capacity, distinct in [(1 << 24, 1 << 25, 1 << 40), (1 << 24, 1 << 24, 1 << 23), (1 << 20, 1 << 21, 1 << 40)]:
        keys = torch.randint(0, distinct, (n,), device="cuda", dtype=torch.int64)
        tables = [torch.full((capacity,), -1, device="cuda", dtype=torch.int64) for _ in range(2)]
        dropped = torch.zeros(1, device="cuda", dtype=torch.int32)
        call = kernel.prepare(dict(N=n, C=capacity), dict(keys=keys, table=tables[1], dropped=dropped), {})
        values = (keys.data_ptr(), tables[0].data_ptr(), dropped.data_ptr(), n, capacity)
        types = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32)
        stream = torch.cuda.current_stream().cuda_stream

        def by_hand():
            check(cu.cuLaunchKernel(hand, -(-n // 256), 1, 1, 256, 1, 1, 0, stream, (values, types), 0))

        times = [[], []]
        for _ in range(12):
            for which, launch in enumerate((by_hand, call)):
                tables[which].fill_(-1)
                times[which].append(once(launch))
        hand_us, cake_us = (statistics.median(series[2:]) for series in times)
        same = torch.equal(*(table.sort().values for table in tables))
        print(f"{n} keys of {distinct}, {capacity} slots: {n / hand_us:.0f} {n / cake_us:.0f} {cake_us / hand_us:.3f}x "
              f"{'same keys' if same and int(dropped) == 0 else 'DIFFERENT'}", flush=True)


for case in (gemm, attention, rows, hash_insert):
    if not ONLY or case.__name__ in ONLY:
        case()
