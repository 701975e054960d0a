# Writes names.txt: the public names of PyTorch's modules, so that Larkspur can tell a name that it lacks from one that
# does not exist. Run with a Python that has torch 1.13; names of PyTorch 2 are added by hand below.
import importlib
import torch

NEW = {
    "torch": "compile compiler export func vmap cond set_float32_matmul_precision get_float32_matmul_precision set_default_device "
             "get_default_device asarray unravel_index mtia xpu accelerator nested _dynamo _inductor fx library hub package "
             "profiler quantization sparse fft signal testing masked monitor overrides futures multiprocessing futures "
             "float8_e4m3fn float8_e5m2 uint16 uint32 uint64 SymInt SymFloat SymBool sym_int sym_float sym_not sym_max sym_min "
             "while_loop typename is_storage segment_reduce rms_norm",
    "Tensor": "untyped_storage mT mH H nbytes itemsize module_load to_padded_tensor",
    "torch.nn.functional": "scaled_dot_product_attention rms_norm",
    "torch._C._nn": "scaled_dot_product_attention rms_norm",
    "torch.nn.utils": "prune",
    "torch.utils": "tensorboard cpp_extension mobile_optimizer model_zoo bottleneck benchmark",
    "torch.linalg": "vecdot ldl_factor ldl_solve",
    "torch.cuda": "memory_summary max_memory_allocated mem_get_info is_bf16_supported",
}
MODULES = ["torch", "torch.nn.functional", "torch.linalg", "torch.special", "torch.fft", "torch.cuda", "torch.autograd",
           "torch.distributed", "torch.onnx", "torch.jit", "torch.random", "torch.backends", "torch.amp", "torch.sparse",
           "torch.distributions", "torch.profiler", "torch.quantization", "torch.hub", "torch.fx", "torch.multiprocessing",
           "torch.nn", "torch.nn.init", "torch.nn.parallel", "torch.nn.utils", "torch.nn.utils.rnn", "torch.optim", "torch.optim.lr_scheduler",
           "torch.utils", "torch.utils.data", "torch.utils.checkpoint"]


def public(obj):
    return {n for n in dir(obj) if not n.startswith("_")}


lines = []
for m in MODULES:
    mod = importlib.import_module(m)
    lines.append((m, public(mod)))
lines.append(("torch._C._nn", public(torch._C._nn) | public(torch.nn.functional)))
lines.append(("torch._C", {n for n in dir(torch._C) if not n.startswith("__")}))
lines.append(("Tensor", {n for n in dir(torch.Tensor) if not n.startswith("__")}))
with open("names.txt", "w") as f:
    for name, names in sorted(lines):
        names = set(names) | set(NEW.get(name, "").split())
        f.write(name + ": " + " ".join(sorted(names)) + "\n")
