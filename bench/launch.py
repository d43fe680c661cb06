"""Launches compiled schedules from Python, by their manifest, beside PyTorch's kernels in one process.

Only for measuring against peers: applications use libcake or cakerun. Needs cuda-bindings and PyTorch.

    kernel = Kernel("build/gpu/gemm.ptx")
    call = kernel.prepare(dict(M=4096, N=4096, K=4096), dict(a=a, b=b, c=c), {})
    call()                                  # on PyTorch's current stream
"""
import ctypes
import json
import os

import torch
from cuda.bindings import driver as cu

OPS = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b, "cdiv": lambda a, b: -(-a // b), "ceilto": lambda a, b: -(-a // b) * b, "min": min, "max": max,
    "shl": lambda a, b: a << b, "shr": lambda a, b: a >> b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "and": lambda a, b: a and b, "or": lambda a, b: a or b,
    "not": lambda a: not a, "ispow2": lambda a: a > 0 and a & (a - 1) == 0, "select": lambda c, a, b: a if c else b,
}
MAP_TYPES = {"u8": "UINT8", "u16": "UINT16", "u32": "UINT32", "i32": "INT32", "u64": "UINT64", "i64": "INT64",
             "f16": "FLOAT16", "f32": "FLOAT32", "f64": "FLOAT64", "bf16": "BFLOAT16", "e4m3": "UINT8", "e5m2": "UINT8"}
SCALARS = {"f32": ctypes.c_float, "f64": ctypes.c_double, "i32": ctypes.c_int32, "u32": ctypes.c_uint32,
           "i64": ctypes.c_int64, "u64": ctypes.c_uint64}


def check(result):
    if result[0] != cu.CUresult.CUDA_SUCCESS:
        raise RuntimeError(str(result[0]))
    return result[1] if len(result) == 2 else result[1:]


def evaluate(expr, names):
    if isinstance(expr, list):
        return OPS[expr[0]](*(evaluate(e, names) for e in expr[1:]))
    return names[expr] if isinstance(expr, str) else expr


def read_manifest(ptx):
    text = ptx.split("// cake-manifest-begin", 1)[1].split("// cake-manifest-end", 1)[0]
    return json.loads("\n".join(line.lstrip("/") for line in text.split("\n")[1:]))


class Kernel:
    def __init__(self, path):
        with open(path) as file:
            ptx = file.read()
        torch.zeros(1, device="cuda")
        manifest = read_manifest(ptx)
        self.info = manifest["kernels"][0]
        image = ptx.encode() + b"\0"
        cubin = path[: -len(".ptx")] + ".cubin"
        major, minor = torch.cuda.get_device_capability()
        if manifest["target"].rstrip("a") == f"sm_{major}{minor}" and os.path.exists(cubin):
            with open(cubin, "rb") as file:
                image = file.read()
        self.module = check(cu.cuModuleLoadData(image))
        self.function = check(cu.cuModuleGetFunction(self.module, self.info["name"].encode()))
        attribute = cu.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        check(cu.cuFuncSetAttribute(self.function, attribute, self.info["shared_bytes"]))
        self.sm_count = torch.cuda.get_device_properties(0).multi_processor_count

    def encode(self, row, names, tensors):
        tensor = tensors[self.info["tensors"][row["tensor"]]["name"]]
        extents = [cu.cuuint64_t(evaluate(e, names)) for e in row["extents"]]
        strides = [cu.cuuint64_t(evaluate(e, names)) for e in row["strides"]]
        box = [cu.cuuint32_t(n) for n in row["box"]]
        swizzle = "NONE" if row["swizzle"] == 0 else f"{row['swizzle']}B"
        promotion = "NONE" if row["l2_promotion"] == 0 else f"L2_{row['l2_promotion']}B"
        return check(cu.cuTensorMapEncodeTiled(
            getattr(cu.CUtensorMapDataType, "CU_TENSOR_MAP_DATA_TYPE_" + MAP_TYPES[row["dtype"]]), len(box), tensor.data_ptr(),
            extents, strides, box, [cu.cuuint32_t(1)] * len(box), cu.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
            getattr(cu.CUtensorMapSwizzle, "CU_TENSOR_MAP_SWIZZLE_" + swizzle),
            getattr(cu.CUtensorMapL2promotion, "CU_TENSOR_MAP_L2_PROMOTION_" + promotion),
            cu.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))

    def prepare(self, dimensions, tensors, scalars):
        names = dict(dimensions, sm_count=self.sm_count)
        for condition in self.info["contract"]:
            if not evaluate(condition["condition"], names):
                raise ValueError(f"{condition['text']} with {dimensions}")
        values, types = [], []
        for argument in self.info["arguments"]:
            if "tensor_map" in argument:
                values.append(self.encode(self.info["tensor_maps"][argument["tensor_map"]], names, tensors))
                types.append(None)
            elif "pointer" in argument:
                values.append(tensors[self.info["tensors"][argument["pointer"]]["name"]].data_ptr())
                types.append(ctypes.c_void_p)
            elif "dimension" in argument:
                values.append(names[self.info["dimensions"][argument["dimension"]]])
                types.append(ctypes.c_int32 if argument["bits"] == 32 else ctypes.c_int64)
            else:
                scalar = self.info["scalars"][argument["scalar"]]
                values.append(scalars[scalar["name"]])
                types.append(SCALARS[scalar["dtype"]])
        config = cu.CUlaunchConfig()
        config.gridDimX = evaluate(self.info["grid"], names)
        config.gridDimY = config.gridDimZ = 1
        config.blockDimX, config.blockDimY, config.blockDimZ = self.info["threads"], 1, 1
        config.sharedMemBytes = self.info["shared_bytes"]
        if self.info["cluster"] > 1:
            attribute = cu.CUlaunchAttribute()
            attribute.id = cu.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            attribute.value.clusterDim.x = self.info["cluster"]
            attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1
            config.attrs, config.numAttrs = [attribute], 1
        arguments = (tuple(values), tuple(types))

        def launch():
            config.hStream = torch.cuda.current_stream().cuda_stream
            if config.gridDimX:
                check(cu.cuLaunchKernelEx(config, self.function, arguments, 0))

        return launch
