import io; f = io.StringIO('a\nb\n'); print(f.read(1), f.readline(), f.readlines(), f.read(), f.tell()); f.seek(0); print(list(f))

import io; f = io.BytesIO(b'abc'); print(f.read(2), f.tell(), f.seek(0), f.getvalue(), f.read()); f.write(b'd'); print(f.getvalue())

import io; f = io.StringIO(); print(f.write('hi'), f.getvalue(), f.closed); f.close(); f.read()

open('t.txt', 'w').write('one\ntwo\n'); print(open('t.txt').read(), open('t.txt').readlines(), [l.strip() for l in open('t.txt')])

with open('b.bin', 'wb') as f: print(f.write(b'\x00\x01'), f.name, f.mode)
print(open('b.bin', 'rb').read())

with open('a.txt', 'w') as f: f.writelines(['x\n', 'y\n']); print('z', file=f)
with open('a.txt', 'a') as f: f.write('end')
print(open('a.txt').read().split())

open('nofile.txt')

open('x', 'q')

import os; os.makedirs('d/e', exist_ok=True); open('d/e/f.txt', 'w').close(); print(os.path.exists('d/e/f.txt'), os.listdir('d'), os.path.isdir('d'), os.path.isfile('d/e/f.txt'), os.path.getsize('d/e/f.txt')); os.remove('d/e/f.txt'); os.rmdir('d/e'); print(os.listdir('d'))

import os; print(os.path.join('a', 'b', '/c', 'd'), os.path.split('a/b.c'), os.path.splitext('a/b.tar.gz'), os.path.basename('a/b/'), os.path.dirname('/a/b'), os.path.normpath('a/../b//c/.'), os.path.isabs('/a'), os.sep, os.path.commonprefix(['abc', 'abd']))

import os; print([(r, sorted(d), sorted(f)) for r, d, f in os.walk('nothing')], os.path.relpath('/a/b', '/a/c'), os.path.commonpath(['/a/b', '/a/c']), os.path.expanduser('a'), os.linesep == '\n', os.curdir, os.path.splitext('.bashrc'))

from pathlib import Path; p = Path('a/b.txt'); print(p, repr(p), p.name, p.stem, p.suffix, p.parent, p.parts, p.with_suffix('.py'), p.with_name('c'), p / 'd', 'x' / Path('y'), p.is_absolute(), Path('a') == Path('a/'), p.as_posix())

from pathlib import Path; d = Path('pd'); d.mkdir(exist_ok=True); (d / 'f.txt').write_text('hello'); print((d / 'f.txt').read_text(), (d / 'f.txt').exists(), [x.name for x in d.iterdir()], list(d.glob('*.txt')), (d / 'f.txt').stat().st_size); (d / 'f.txt').unlink(); print(d.exists(), (d / 'f.txt').is_file()); d.rmdir()

from pathlib import Path; Path('none').read_text()

from pathlib import Path; print(Path('/a/b/c').relative_to('/a'), list(Path('a/b/c').parents), Path('a.tar.gz').suffixes, Path('.').resolve().is_absolute(), Path('x').joinpath('y', 'z'), hash(Path('a')) == hash(Path('a')), sorted([Path('b'), Path('a')]), Path('a').match('*'))

import glob, os; os.makedirs('g', exist_ok=True)
for n in 'ab': open(f'g/{n}.txt', 'w').close()
print(sorted(glob.glob('g/*.txt')), glob.glob('g/[a].txt'), glob.glob('g/?.py'), sorted(glob.glob('**/*.txt', recursive=True))[:2])

import tempfile, os
with tempfile.TemporaryDirectory() as d: print(os.path.isdir(d)); open(os.path.join(d, 'x'), 'w').close()
print(os.path.exists(d))

import tempfile
with tempfile.NamedTemporaryFile('w+', suffix='.t') as f: f.write('abc'); f.seek(0); print(f.read(), f.name.endswith('.t'))

import os; os.remove('nothing')

import os; os.mkdir('m1'); os.mkdir('m1')

import shutil, os; os.makedirs('s1/s2'); open('s1/s2/f', 'w').write('x'); shutil.copy('s1/s2/f', 'cp'); print(open('cp').read()); shutil.copytree('s1', 's3'); print(os.path.exists('s3/s2/f')); shutil.rmtree('s1'); print(os.path.exists('s1')); os.rename('cp', 'mv'); print(os.path.exists('mv'))

import os; print(os.environ.get('NOPE_X', 'd'), os.getenv('NOPE_X'), os.path.abspath('a') == os.path.join(os.getcwd(), 'a'), os.name, os.cpu_count() > 0)

f = open('ctx', 'w'); f.close(); f.write('x')

with open('utf', 'w', encoding='utf-8') as f: f.write('é€')
print(open('utf', encoding='utf-8').read(), open('utf', 'rb').read(), open('utf', encoding='latin-1').read() != '')

with open('seek', 'w+') as f: f.write('abcdef'); f.seek(2); print(f.read(2), f.tell()); f.seek(0, 2); print(f.tell()); f.truncate(3); f.seek(0); print(f.read())

open('rd', 'w').close(); open('rd').write('x')

import io; print(isinstance(io.StringIO(), io.TextIOBase), isinstance(io.BytesIO(), io.IOBase), io.StringIO('a').readable(), io.StringIO('a\r\nb', newline=None).read() if False else '', io.SEEK_END)
