# Runs cases for bench: reads lines of JSON, answers each with a line of JSON.
import json, sys, time
import torch

names = None
clock = time.perf_counter
for line in sys.stdin:
    q = json.loads(line)
    try:
        if "text" in q:
            clock = time.process_time if q["cputime"] else time.perf_counter
            torch.set_num_threads(q["threads"])
            torch.manual_seed(1)
            names = {"__name__": "case", "__file__": q["file"]}
            sys.argv = [q["file"]]
            t = clock()
            exec(compile(q["text"], q["file"], "exec"), names)
            a = {"seconds": clock() - t}
        elif "n" in q:
            run = names["run"]
            t = clock()
            run(q["n"])
            a = {"seconds": clock() - t}
        elif "probe" in q:
            a = {"probe": names["probe"]()}
        else:
            a = {"version": torch.__version__, "threads": torch.get_num_threads()}
    except Exception as e:
        a = {"error": f"{type(e).__name__}: {e}"}
    print(json.dumps(a), flush=True)
