from tqdm import tqdm; print(list(tqdm(range(3), disable=True)))

from tqdm import tqdm, trange; import io; f = io.StringIO(); print(sum(trange(4, file=f)), '100%' in f.getvalue(), '4/4' in f.getvalue())

from tqdm import tqdm; import io; f = io.StringIO(); print([x for x in tqdm([1, 2], desc='load', file=f)], f.getvalue().splitlines()[-1].split('\r')[-1].startswith('load: 100%'))

from tqdm import tqdm; import io; f = io.StringIO(); t = tqdm(total=10, file=f); t.update(4); t.update(); print(t.n, t.total); t.close(); print('5/10' in f.getvalue(), '50%' in f.getvalue())

from tqdm import tqdm; import io; f = io.StringIO()
with tqdm(total=2, file=f, unit='img') as t: t.update(2); print(t.n)
print('img/s' in f.getvalue())

from tqdm import tqdm; import io; f = io.StringIO(); t = tqdm(range(2), file=f); t.set_description('epoch 1'); t.set_postfix(loss=0.5, acc='x'); t.close(); s = f.getvalue(); print('epoch 1: ' in s, 'loss=0.5' in s, 'acc=x' in s)

from tqdm import tqdm; import io; t = tqdm(range(5), file=io.StringIO()); print(len(t), t.desc, t.n, bool(t))

from tqdm import tqdm; import io; f = io.StringIO(); t = tqdm((i for i in range(3)), file=f); print(list(t), '3it' in f.getvalue())

from tqdm import tqdm; import io; f = io.StringIO(); t = tqdm(total=1024 * 1024, unit='B', unit_scale=True, unit_divisor=1024, file=f); t.update(512 * 1024); t.close(); print('512k/1.00M' in f.getvalue())

from tqdm import tqdm; tqdm.write('a line'); tqdm.write('b', end='!\n')

from tqdm import tqdm; import io; f = io.StringIO(); t = tqdm(range(3), initial=1, total=4, file=f); list(t); print('4/4' in f.getvalue(), t.n)

from tqdm import tqdm; import io; f = io.StringIO(); t = tqdm(range(2), file=f, bar_format='{desc}|{n_fmt}/{total_fmt}', desc='d'); list(t); print(f.getvalue().split('\r')[-1].strip())

from tqdm import tqdm; print(tqdm.format_interval(61), tqdm.format_interval(3661), tqdm.format_sizeof(1500), tqdm.format_sizeof(999), tqdm.format_num(1234567))

from tqdm import tqdm; print(tqdm.format_meter(5, 10, 2, ncols=60, ascii=True))

from tqdm import tqdm; print(tqdm.format_meter(0, 10, 0, ncols=40, ascii=True)); print(tqdm.format_meter(3, None, 1.5))

from tqdm.auto import tqdm, trange; import io; print(list(tqdm([1, 2], file=io.StringIO())), list(trange(2, file=io.StringIO())))

from tqdm import tqdm; import io; t = tqdm(total=3, file=io.StringIO()); t.update(3); t.reset(); print(t.n); t.reset(total=7); print(t.total); t.close()

from tqdm import tqdm; import io; f = io.StringIO(); t = tqdm(range(2), file=f); t.set_postfix_str('lr 0.1'); t.close(); print('lr 0.1' in f.getvalue()); t.clear(); t.close()

from tqdm import tqdm; import io
def gen():
    for i in tqdm(range(10), file=io.StringIO()):
        if i == 3: break
        yield i
print(list(gen()), [x for x, y in zip(tqdm('ab', file=io.StringIO()), range(2))])

from tqdm import tqdm; import io; t = tqdm(total=5, file=io.StringIO(), disable=True); t.update(3); t.set_description('x'); t.set_postfix(a=1); t.close(); print('quiet')
