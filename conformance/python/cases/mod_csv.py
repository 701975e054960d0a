import csv, io; print(list(csv.reader(io.StringIO('a,b\n1,"2,3"\n'))))

import csv; print(list(csv.reader(['a b', '"x"" y" z'], delimiter=' ')))

import csv, io; s = io.StringIO(); w = csv.writer(s); w.writerow(['a', 1, 2.5, None, 'x,y', 'q"q', 'l\nl']); print(repr(s.getvalue()))

import csv, io; s = io.StringIO(); csv.writer(s, quoting=csv.QUOTE_ALL).writerow([1, 'a', None]); csv.writer(s, quoting=csv.QUOTE_NONNUMERIC).writerow([1, 'a', 2.0]); print(repr(s.getvalue()))

import csv, io; s = io.StringIO(); csv.writer(s, delimiter='\t', lineterminator='\n').writerows([[1, 2], [3, 4]]); print(repr(s.getvalue()))

import csv, io; r = csv.DictReader(io.StringIO('n,v\nx,1\ny,2\n')); print(r.fieldnames); print([dict(d) for d in r], r.line_num)

import csv, io; print(list(csv.DictReader(io.StringIO('1,2,3\n4\n'), fieldnames=['a', 'b'], restkey='rest', restval='?')))

import csv, io; s = io.StringIO(); w = csv.DictWriter(s, fieldnames=['a', 'b']); print(w.writeheader()); w.writerow({'a': 1, 'b': 2}); w.writerow({'a': 3}); print(repr(s.getvalue()))

import csv, io; w = csv.DictWriter(io.StringIO(), ['a']); w.writerow({'a': 1, 'zz': 2})

import csv, io; s = io.StringIO(); w = csv.DictWriter(s, ['a'], extrasaction='ignore', lineterminator='|'); w.writerows([{'a': 1, 'z': 2}, {'a': 'é'}]); print(s.getvalue())

import csv, io; csv.writer(io.StringIO(), quoting=csv.QUOTE_NONE).writerow(['a,b'])

import csv, io; s = io.StringIO(); csv.writer(s, quoting=csv.QUOTE_NONE, escapechar='\\').writerow(['a,b', 'c']); print(s.getvalue())

import csv; print(csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC, csv.QUOTE_NONE, csv.list_dialects())

import csv; print(list(csv.reader(['1,"a",2.5'], quoting=csv.QUOTE_NONNUMERIC)))

import csv; print(list(csv.reader(["a;'b;c'"], delimiter=';', quotechar="'")), list(csv.reader(['a, b'], skipinitialspace=True)))

import csv; r = csv.reader(['a', '', 'b']); print(next(r), next(r), next(r), r.line_num); next(r)

import csv; print(list(csv.reader(['"multi', 'line",x'])), list(csv.reader(['"open'])))

import csv; list(csv.reader(['"a"b'], strict=True))

import csv, io; s = io.StringIO(); print(csv.writer(s).writerow(['a', 'b']), csv.writer(s).writerow([]), csv.writer(s).writerow([''])); print(repr(s.getvalue()))

import csv, io; csv.writer(io.StringIO()).writerow(5)

import csv, io
class T(csv.excel): delimiter = '|'
s = io.StringIO(); csv.writer(s, dialect=T).writerow([1, 2]); csv.register_dialect('p', delimiter=':'); csv.writer(s, 'p').writerow([3, 4]); print(repr(s.getvalue()), csv.get_dialect('p').delimiter, 'p' in csv.list_dialects())

import csv; csv.reader([], delimiter='ab')

import csv; csv.reader([], dialect='nope')

import csv
with open('t.csv', 'w', newline='') as f:
    w = csv.writer(f); w.writerow(['epoch', 'loss']); w.writerows((i, 1 / (i + 1)) for i in range(3))
with open('t.csv', newline='') as f: print([{k: float(v) for k, v in r.items()} for r in csv.DictReader(f)])

import csv; print(list(csv.reader(['a,b\r\n', 'c,d\r\n'])), list(csv.reader(['x\\,y'], escapechar='\\')), list(csv.reader(['"a""b"'], doublequote=True)))
