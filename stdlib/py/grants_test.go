package py_test

import (
	"strings"
	"testing"
)

// TestGrants holds that each way to the world is refused, by an exception that
// the program can catch, where the host refuses it.
func TestGrants(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{`open("/etc/hostname")`, "'/etc/hostname' is not granted"},
		{`open("/somewhere/x", "w")`, "'/somewhere/x' is not granted"},
		{`import os; os.listdir("/")`, "'/' is not granted"},
		{`import os; os.path.exists("/etc")`, "'/etc' is not granted"},
		{`import os; os.remove("/somewhere/x")`, "is not granted"},
		{`import os; os.makedirs("/somewhere/x")`, "is not granted"},
		{`import os; os.rename("/somewhere/x", "/somewhere/y")`, "is not granted"},
		{`import os; os.stat("/etc")`, "is not granted"},
		{`import pathlib; pathlib.Path("/etc/hostname").read_text()`, "is not granted"},
		{`import shutil; shutil.rmtree("/somewhere")`, "is not granted"},
		{`import glob; print(len(glob.glob("/etc/*")))`, ""},
		{`import os; os.environ["HOME"]`, "--allow-env"},
		{`import os; os.getenv("HOME")`, "--allow-env"},
		{`import os; os.path.expandvars("$HOME")`, "--allow-env"},
		{`import time; time.time()`, "--allow-clock"},
		{`import time; time.perf_counter()`, "--allow-clock"},
		{`import time; time.sleep(0.1)`, "--allow-clock"},
		{`import datetime; datetime.datetime.now()`, "--allow-clock"},
		{`import subprocess; subprocess.run(["ls"])`, "subprocess.run is not supported"},
		{`import os; os.system("ls")`, "os.system is not supported"},
	} {
		w := &world{dir: ""}
		err := run(w, "grants.py", c.code+"\n")
		switch {
		case c.want == "":
			if err != nil || w.out.String() != "0\n" {
				t.Errorf("%s: got %q, %v", c.code, w.out.String(), err)
			}
		case err == nil:
			t.Errorf("%s: nothing was raised", c.code)
		case !strings.Contains(err.Error(), "PermissionError") || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: got %v, want a PermissionError with %q", c.code, err, c.want)
		}
	}
}

// TestRefused holds that modules that cannot do their work import, and say what
// to do instead when they are used.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"import threading\nthreading.Thread(target=print).start()", "Call the function directly"},
		{"import multiprocessing\nmultiprocessing.Pool(4)", "multiprocessing.Pool is not supported"},
		{"import numpy as np\nnp.zeros(3)", "numpy.zeros is not supported"},
		{"from multiprocessing import Process\nProcess(target=print).start()", "one process"},
	} {
		err := run(&world{}, "refused.py", c.code+"\n")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.code, err, c.want)
		}
	}
}
