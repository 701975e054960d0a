from pathlib import Path; p = Path('a/b/c.tar.gz'); print(p, repr(p), p.name, p.stem, p.suffix, p.suffixes, p.parent, p.parts)

from pathlib import Path; print(Path('a') / 'b' / 'c', 'x' / Path('y'), Path('a', 'b'), Path(), Path('a') / '/b', Path('a//b/./c'), Path('a/../b'))

from pathlib import Path; print(Path('/a/b').parents[0], list(Path('/a/b/c').parents), Path('/a').root, Path('/a').anchor, Path('/a').is_absolute(), Path('a').is_absolute())

from pathlib import Path; p = Path('a/b.txt'); print(p.with_suffix('.md'), p.with_name('z'), p.with_stem('q'), p.with_suffix(''), Path('a').with_suffix('.x'))

from pathlib import Path; Path('a').with_suffix('x')

from pathlib import Path; Path('/').with_name('x')

from pathlib import Path; p = Path('d'); p.mkdir(); print(p.exists(), p.is_dir(), p.is_file()); (p / 'f.txt').write_text('hé'); print((p / 'f.txt').read_text(), (p / 'f.txt').read_bytes(), (p / 'f.txt').stat().st_size); print([str(x) for x in p.iterdir()])

from pathlib import Path; p = Path('x/y/z'); p.mkdir(parents=True); p.mkdir(parents=True, exist_ok=True); p.mkdir()

from pathlib import Path; Path('n/o').mkdir()

from pathlib import Path; Path('nope.txt').read_text()

from pathlib import Path
for n in ('a.py', 'b.txt', 's/c.py', 's/t/d.py'):
    q = Path(n); q.parent.mkdir(parents=True, exist_ok=True); q.touch()
print(sorted(map(str, Path('.').glob('*.py'))), sorted(map(str, Path('.').rglob('*.py'))), sorted(map(str, Path('.').glob('**/*.py'))), sorted(map(str, Path('s').glob('*'))))

from pathlib import Path; print(Path('a/b') == Path('a', 'b'), hash(Path('a')) == hash(Path('a')), Path('a') < Path('b'), sorted([Path('b'), Path('a')]), Path('a') == 'a', {Path('a'): 1}[Path('a')])

from pathlib import Path; print(Path('/a/b/c').relative_to('/a'), Path('a/b').relative_to(Path('a'))); Path('/a').relative_to('/b')

from pathlib import Path; print(Path('/a/b').is_relative_to('/a'), Path('a.py').match('*.py'), Path('d/a.py').match('d/*.py'), Path('a/b').as_posix(), Path('/a b').as_uri(), str(Path('a')), Path('a').joinpath('b', 'c'))

from pathlib import Path; p = Path('f'); p.write_bytes(b'\x00\x01'); print(p.read_bytes()); p.unlink(); print(p.exists()); p.unlink(missing_ok=True); p.unlink()

from pathlib import Path
with Path('f').open('w') as f: print('line', file=f)
with open(Path('f')) as f: print(f.read())
p = Path('f').rename('g'); print(p, Path('f').exists()); p.replace('h'); print(Path('h').exists())

from pathlib import Path; d = Path('d'); d.mkdir(); d.rmdir(); print(d.exists()); d.rmdir()

from pathlib import Path, PurePath, PosixPath, PurePosixPath; print(type(Path('a')).__name__, isinstance(Path('a'), PurePath), PurePosixPath('a/b').name, issubclass(PosixPath, Path), repr(PurePath('a')))

from pathlib import Path; import os; print(Path.cwd() == Path(os.getcwd()), Path('.').resolve() == Path(os.getcwd()).resolve(), Path('x').absolute() == Path(os.getcwd()) / 'x', os.fspath(Path('a/b')), Path(__file__).name)

from pathlib import Path; Path(5)

from pathlib import Path; Path('a') / 5

from pathlib import Path; Path('a') + 'b'

from pathlib import Path; print(f'{Path("a")}', '%s' % Path('b'), f'{Path("c")!r}', str(Path('a') / 'b').split('/'), Path('x').expanduser(), bool(Path('')), Path('a.b.c').stem, Path('.hid').suffix, Path('a/').name)

from pathlib import Path
ck = Path('ckpt'); ck.mkdir()
for i in (1, 10, 2): (ck / f'epoch_{i}.pt').write_text(str(i))
print([p.stem for p in sorted(ck.glob('epoch_*.pt'), key=lambda p: int(p.stem.split('_')[1]))], max(ck.iterdir(), key=lambda p: p.read_text()).name)
