import uuid; u = uuid.UUID('12345678-1234-5678-1234-567812345678'); print(u, repr(u), u.hex, u.int, u.urn)

import uuid; print(uuid.UUID('{12345678123456781234567812345678}'), uuid.UUID('urn:uuid:12345678-1234-5678-1234-567812345678'), uuid.UUID(int=1), uuid.UUID(hex='0' * 32), uuid.UUID(bytes=b'\x12' * 16))

import uuid; uuid.UUID('xyz')

import uuid; uuid.UUID('1234')

import uuid; uuid.UUID()

import uuid; uuid.UUID(int=-1)

import uuid; uuid.UUID(bytes=b'short')

import uuid; u = uuid.uuid4(); print(u.version, u.variant, len(str(u)), str(u).count('-'), type(u).__name__, u != uuid.uuid4())

import uuid; print(uuid.uuid5(uuid.NAMESPACE_DNS, 'python.org'), uuid.uuid3(uuid.NAMESPACE_DNS, 'python.org'))

import uuid; print(uuid.uuid5(uuid.NAMESPACE_URL, 'x').version, uuid.uuid3(uuid.NAMESPACE_OID, 'x').version, uuid.NAMESPACE_DNS, uuid.NAMESPACE_X500)

import uuid; u = uuid.UUID('12345678-1234-5678-1234-567812345678'); print(u.fields, u.time_low, u.time_mid, u.time_hi_version, u.clock_seq_hi_variant, u.clock_seq_low, u.node)

import uuid; u = uuid.UUID(int=5); print(u.bytes, u.bytes_le, u.time, u.clock_seq)

import uuid; a, b = uuid.UUID(int=1), uuid.UUID(int=2); print(a < b, a == uuid.UUID(int=1), a != b, sorted([b, a])[0] == a, hash(a) == hash(uuid.UUID(int=1)), a >= b, a == 1)

import uuid; uuid.UUID(int=1) < 5

import uuid; uuid.UUID(int=1).hex = 'x'

import uuid; print(int(uuid.UUID(int=77)), {uuid.UUID(int=1): 'v'}[uuid.UUID(int=1)], f'{uuid.UUID(int=1)}', str(uuid.UUID(int=255))[-4:])

import uuid; u = uuid.uuid1(); print(u.version, len(u.hex))

import uuid; print(uuid.UUID(fields=(0x12345678, 0x1234, 0x5678, 0x12, 0x34, 0x567812345678)), uuid.UUID(bytes_le=bytes(range(16))))

import uuid; print(uuid.UUID('12345678123456781234567812345678', version=4), uuid.UUID(int=0).version, uuid.RFC_4122, uuid.UUID(int=0).variant)

import uuid, copy, pickle; u = uuid.UUID(int=9); print(copy.copy(u) == u, copy.deepcopy(u) == u, pickle.loads(pickle.dumps(u)) == u)

import uuid; run = uuid.UUID(int=123456789).hex[:8]; print(f'run_{run}', len({uuid.uuid4() for _ in range(10)}))
