import tempfile, os
with tempfile.TemporaryDirectory() as d: print(os.path.isdir(d), type(d).__name__); open(os.path.join(d, 'f'), 'w').close()
print(os.path.exists(d))

import tempfile, os; d = tempfile.mkdtemp(); print(os.path.isdir(d), os.listdir(d)); os.rmdir(d)

import tempfile, os; d = tempfile.mkdtemp(prefix='pre', suffix='suf'); b = os.path.basename(d); print(b.startswith('pre'), b.endswith('suf'), os.path.dirname(d) == tempfile.gettempdir()); os.rmdir(d)

import tempfile, os; d = tempfile.mkdtemp(dir='.'); print(os.path.dirname(os.path.relpath(d)) in ('', '.'), os.path.isdir(d))

import tempfile, os
with tempfile.NamedTemporaryFile() as f: f.write(b'abc'); f.flush(); print(os.path.exists(f.name), f.tell()); f.seek(0); print(f.read()); n = f.name
print(os.path.exists(n))

import tempfile, os
with tempfile.NamedTemporaryFile('w', delete=False, suffix='.txt') as f: f.write('text')
print(f.name.endswith('.txt'), open(f.name).read()); os.unlink(f.name)

import tempfile
with tempfile.TemporaryFile() as f: f.write(b'12'); f.seek(0); print(f.read())

import tempfile
with tempfile.TemporaryFile('w+') as f: f.write('é'); f.seek(0); print(f.read())

import tempfile; print(type(tempfile.gettempdir()).__name__, tempfile.gettempprefix())

import tempfile, os; fd, p = tempfile.mkstemp(); print(type(fd).__name__, os.path.exists(p)); os.close(fd); os.remove(p)

import tempfile, os; fd, p = tempfile.mkstemp(suffix='.x', prefix='y'); print(os.path.basename(p)[:1], p[-2:]); os.close(fd); os.unlink(p)

import tempfile, os; t = tempfile.TemporaryDirectory(); print(os.path.isdir(t.name)); t.cleanup(); print(os.path.isdir(t.name))

import tempfile, os
try:
    with tempfile.TemporaryDirectory() as d: raise ValueError('x')
except ValueError: print(os.path.exists(d))

import tempfile, pathlib
with tempfile.TemporaryDirectory() as d:
    p = pathlib.Path(d) / 'a' / 'b'; p.mkdir(parents=True); (p / 'c').write_text('deep'); print((p / 'c').read_text())
print(p.exists())

import tempfile, os
with tempfile.TemporaryDirectory(prefix='run_') as a, tempfile.TemporaryDirectory(prefix='run_') as b: print(a != b, os.path.basename(a)[:4])

import tempfile; s = tempfile.SpooledTemporaryFile(max_size=10); s.write(b'abc'); s.seek(0); print(s.read()); s.close()

import tempfile, os; f = tempfile.NamedTemporaryFile(mode='w+', dir='.'); print(f.write('x'), os.path.dirname(os.path.relpath(f.name))); f.close(); print(f.closed, os.path.exists(f.name))

import tempfile, json
with tempfile.NamedTemporaryFile('w+', suffix='.json') as f: json.dump({'a': 1}, f); f.seek(0); print(json.load(f))

import tempfile, os
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as d: os.rmdir(d)
print('ok')

import tempfile, shutil, os; d = tempfile.mkdtemp(); open(os.path.join(d, 'x'), 'w').close(); shutil.rmtree(d); print(os.path.exists(d))
