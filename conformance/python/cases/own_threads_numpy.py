import numpy; numpy.array([1])

import numpy as np
try: np.zeros(3)
except NotImplementedError as e: print(e)

import numpy as np; print(np.__name__)
def unused(): return np.mean([1])
print(callable(unused))

from numpy import prod

import torch; torch.ones(2).numpy()

import threading; l = threading.Lock()
with l: print(l.locked(), l.acquire(blocking=False))
print(l.locked()); l.release()

import threading; r = threading.RLock()
with r:
    with r: print('twice')

import threading; e = threading.Event(); print(e.is_set()); e.set(); print(e.is_set(), e.wait(), e.wait(1)); e.clear(); print(e.wait(0))

import threading; print(threading.current_thread().name, threading.active_count(), threading.main_thread() is threading.current_thread(), threading.get_ident() == threading.get_ident())

import threading; d = threading.local(); d.x = 5; print(d.x, hasattr(d, 'y'))

import threading; t = threading.Thread(target=print, args=(1,)); print(t.daemon, t.is_alive()); t.start()

import threading
class W(threading.Thread):
    def run(self): pass
W().start()

import threading; threading.Event().wait()

import threading; s = threading.Semaphore(2); s.acquire(); print(s.acquire(), s.acquire(blocking=False)); s.release(2)

import threading; threading.Timer(1, print).start()

import multiprocessing as mp; print(mp.cpu_count() > 0, mp.current_process().name); mp.Pool(2)

import multiprocessing; multiprocessing.Process(target=print).start()

import multiprocessing as mp; print(mp.get_start_method() in ('fork', 'spawn')); mp.set_start_method('spawn'); mp.freeze_support(); q = mp.Queue(); q.put(3); print(q.get())

from multiprocessing import Manager; Manager()

import subprocess; subprocess.run(['ls'])

import subprocess; print(subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL, issubclass(subprocess.CalledProcessError, Exception)); subprocess.check_output('ls')

import queue; q = queue.Queue(maxsize=2); q.put(1); q.put(2); print(q.full(), q.qsize(), q.get(), q.get_nowait(), q.empty()); q.get_nowait()

import queue; p = queue.PriorityQueue(); p.put((2, 'b')); p.put((1, 'a')); l = queue.LifoQueue(); l.put(1); l.put(2); print(p.get(), l.get())
