package larkspur_test

import (
	"context"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/larkspur-ml/larkspur"
	"github.com/larkspur-ml/larkspur/stdlib/nn"
)

func lazyRun(t *testing.T, text string) *larkspur.Module {
	t.Helper()
	rt, err := larkspur.New(larkspur.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := rt.LoadString(context.Background(), "lazy.py", text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A layer brings its own file and what that needs: start-up is mostly compiling, so
// the lines are counted.
func TestStartCompilesFewFiles(t *testing.T) {
	m := lazyRun(t, "import sys, torch\nlayer = torch.nn.Linear(3, 4)\nnames = sorted(sys.modules)\n")
	names, err := m.Get("names")
	if err != nil {
		t.Fatal(err)
	}
	lines, files := 0, 0
	for _, n := range names.([]any) {
		rel, ok := strings.CutPrefix(n.(string), "torch.nn.")
		if !ok {
			continue
		}
		rel = strings.ReplaceAll(rel, ".", "/")
		for _, file := range []string{rel + ".star", rel + "/__init__.star"} {
			if text, err := fs.ReadFile(nn.Files, file); err == nil {
				lines += strings.Count(string(text), "\n")
				files++
			}
		}
	}
	if files == 0 || lines > 2200 {
		t.Errorf("a Linear compiles %d lines of %d files of torch.nn: %s", lines, files, names)
	}
}

// Imports that wait cannot be told from those that do not.
func TestLazyImports(t *testing.T) {
	for _, text := range []string{
		"import torch.nn as nn\nassert 'LSTM' in dir(nn) and 'conv' in dir(nn.modules)\nassert nn.LSTM is nn.modules.LSTM is nn.modules.rnn.LSTM",
		"import torch\nassert torch.nn.modules.batchnorm._BatchNorm in torch.nn.BatchNorm2d.__mro__",
		"import torch\nd = torch.nn.__dict__\nassert d['Conv2d'] is torch.nn.Conv2d and 'functional' in d and 'Linear' in vars(torch.nn)",
		"from torch.nn import *\nassert issubclass(TransformerEncoder, Module) and functional.relu",
		"from torch.nn import utils, functional as F\nassert utils.clip_grad_norm_ and F.cross_entropy and utils.rnn.pad_sequence",
		"import inspect, torch.nn as nn\nn = [k for k, v in inspect.getmembers(nn) if inspect.isclass(v)]\nassert 'GRUCell' in n and 'Module' in n and len(n) > 100, len(n)",
		"import torch.nn.modules.transformer as t, torch.nn as nn\nassert t.Transformer is nn.Transformer",
		"import torch.nn.functional as F\nassert F.nll_loss.__module__ == 'torch.nn._functional_loss'",
		"import torch.nn as nn\nassert not hasattr(nn, 'Lineer') and hasattr(nn, 'Embedding')\ntry:\n    from torch.nn import Lineer\n    assert False\nexcept ImportError: pass",
		"import torch.nn as nn\nnn.ReLU = 5\nfrom torch.nn import ReLU\nassert ReLU == 5",
	} {
		lazyRun(t, text+"\n")
	}
}

// What is frozen is whole: parallel calls see the same classes.
func TestLazyImportsFrozen(t *testing.T) {
	m := lazyRun(t, "import torch.nn as nn\ndef f(name):\n    return id(getattr(nn, name))\n")
	m.Freeze()
	f, err := m.Func("f")
	if err != nil {
		t.Fatal(err)
	}
	var ids [8]any
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			var err error
			if ids[i], err = f.Call(context.Background(), "LSTM"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatal("a class was made twice")
		}
	}
}
