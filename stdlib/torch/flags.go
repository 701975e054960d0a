package torch

import (
	"github.com/larkspur-ml/larkspur/lang/value"
)

// torch.backends.X: modules with settings that are accepted and remembered, and
// that change nothing here.

// answer is a function that takes anything and returns v.
func answer(name string, v value.Value) value.Value {
	return value.NewBuiltin(name, func(*value.Thread, []value.Value, []value.Kwarg) (value.Value, error) { return v, nil }).Value()
}

func (r *Runtime) initBackends() {
	module := func(name string, values map[string]value.Value, no ...string) *value.Module {
		m := r.lazyModule("torch.backends."+name, r.noName)
		for _, k := range sortedKeys(values) {
			m.Set(k, values[k])
		}
		for _, n := range no {
			m.Set(n, answer(n, value.False))
		}
		r.modules["torch.backends."+name] = m
		return m
	}
	module("cudnn", map[string]value.Value{"enabled": value.True, "benchmark": value.False, "deterministic": value.False, "allow_tf32": value.True,
		"benchmark_limit": value.Int(10), "version": answer("version", value.None)}, "is_available", "is_acceptable")
	module("cuda", nil, "is_built", "flash_sdp_enabled", "math_sdp_enabled", "mem_efficient_sdp_enabled", "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp")
	module("cuda.matmul", map[string]value.Value{"allow_tf32": value.False, "allow_fp16_reduced_precision_reduction": value.True,
		"allow_bf16_reduced_precision_reduction": value.True})
	module("mps", nil, "is_available", "is_built")
	for _, n := range []string{"mkl", "mkldnn", "openmp", "xnnpack", "quantized", "opt_einsum"} {
		module(n, map[string]value.Value{"enabled": value.False, "deterministic": value.False}, "is_available")
	}
	module("cpu", map[string]value.Value{"get_cpu_capability": answer("get_cpu_capability", value.Str("DEFAULT"))})
}
