import json; print(json.dumps({'a': [1, 2.5, None, True, 'é"\n'], 'b': {}}), json.dumps('é', ensure_ascii=False), json.dumps([]), json.dumps({}))

import json; print(json.dumps({'b': 1, 'a': [1, {'c': 2}]}, indent=2, sort_keys=True))

import json; print(json.dumps([1, 2], indent='\t'), json.dumps({'a': 1}, separators=(',', ':')), json.dumps([[], {}], indent=1))

import json; print(json.loads('{"a": [1, 2.5, null, true, false, "x\\u00e9\\n"]}'), json.loads('[]'), json.loads(' 1 '), json.loads('"a"'), json.loads(b'[1]'))

import json; print(json.dumps({1: 'a', None: 2, True: 3, 1.5: 4}), json.dumps((1, 2)), json.dumps(float('inf')), json.dumps(float('nan')), json.loads('NaN'), json.loads('-Infinity'))

import json
try: json.loads('[1, 2')
except json.JSONDecodeError as e: print(e, e.msg, e.doc, e.pos, e.lineno, e.colno)

import json
for s in ['', '{', '{"a"}', '[1,]', 'nul', '{"a": 1,}', '"abc', '[1 2]', '01', '1.', '"\\x"', '{1: 2}', '[1]x']:
    try: print(json.loads(s))
    except ValueError as e: print(repr(s), e)

import json; json.dumps({1, 2})

import json; json.dumps({(1, 2): 3})

import json; l = []; l.append(l); json.dumps(l)

import json; print(json.dumps({(1,): 2, 'a': 1}, skipkeys=True), json.dumps(object, default=str), json.dumps({'x': {1}}, default=list))

import json
class E(json.JSONEncoder):
    def default(self, o): return {'set': sorted(o)} if isinstance(o, set) else super().default(o)
print(json.dumps([{2, 1}], cls=E)); json.dumps(object(), cls=E)

import json; print(json.loads('{"a": 1, "b": {"c": 2}}', object_hook=lambda d: sorted(d)), json.loads('[1.5, 2]', parse_float=str, parse_int=lambda s: -int(s)), json.loads('{"a": 1, "a": 2}', object_pairs_hook=list))

import json, io; f = io.StringIO(); json.dump({'a': 1}, f); f.seek(0); print(f.getvalue(), json.load(f))

import json; print(json.dumps(10**30), json.loads('123456789012345678901234567890'), json.dumps(1e100), json.dumps(0.1), json.dumps(-0.0), json.loads('1e5'), json.loads('-0'))

import json; print(json.dumps('\u2028\x00\x7f/\\'), json.loads('"\\ud83d\\ude00\\/"'), json.dumps('😀'))

import json; print(json.loads('{"a": 1, "a": 2}'), json.loads('[[[[]]]]'), json.loads('\n{\t"a" :\r1 }'))

import json; from collections import OrderedDict, namedtuple; print(json.dumps(OrderedDict(b=1, a=2)), json.dumps(namedtuple('P', 'x y')(1, 2)), json.loads('{"z": 1, "a": 2}', object_pairs_hook=OrderedDict))

import json; from enum import IntEnum
class I(IntEnum): A = 1
print(json.dumps({I.A: I.A}), json.dumps([True, I.A]))

import json; json.loads(5)

import json; print(json.JSONEncoder(sort_keys=True).encode({'b': 1, 'a': 2}), json.JSONDecoder().decode('[1]'), json.JSONDecoder().raw_decode('[1] rest'), ''.join(json.JSONEncoder().iterencode([1, 2])))

import json; d = {'k%d' % i: list(range(i)) for i in range(4)}; print(json.loads(json.dumps(d)) == d, json.dumps(d, indent=None))
