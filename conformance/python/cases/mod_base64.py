import base64; print(base64.b64encode(b''), base64.b64encode(b'f'), base64.b64encode(b'fo'), base64.b64encode(b'foo'))

import base64; print(base64.b64decode(b'Zm9v'), base64.b64decode('Zm8='), base64.b64decode('Zg=='))

import base64; base64.b64decode('Zg')

import base64; base64.b64encode('str')

import base64; base64.b64decode(b'Zm9v!', validate=True)

import base64; print(base64.b64decode(b'Zm 9v\n'), base64.b64decode('Zm!9v'))

import base64; print(base64.b64encode(b'\xfb\xff\xfe'), base64.urlsafe_b64encode(b'\xfb\xff\xfe'), base64.b64encode(b'\xfb\xff\xfe', altchars=b'-_'))

import base64; print(base64.urlsafe_b64decode('-__-'), base64.b64decode('-__-', altchars='-_'))

import base64; print(base64.standard_b64encode(b'hi'), base64.standard_b64decode(b'aGk='))

import base64; print(base64.b32encode(b'foobar'), base64.b32decode('MZXW6YTBOI======'))

import base64; base64.b32decode('mzxw6===')

import base64; print(base64.b32decode('mzxw6===', casefold=True), base64.b32hexencode(b'foo'), base64.b32hexdecode('CPNMU==='))

import base64; print(base64.b16encode(b'\x01\xab'), base64.b16decode('01AB'), base64.b16decode('01ab', casefold=True))

import base64; base64.b16decode('01ab')

import base64; print(base64.a85encode(b'hello'), base64.a85decode(b'BOu!rDZ'), base64.a85encode(b'\0\0\0\0'))

import base64; print(base64.b85encode(b'hello'), base64.b85decode(b'Xk~0{Zv'))

import base64; base64.b85decode(b'~~~~~~')

import base64; print(base64.encodebytes(b'x' * 60), base64.decodebytes(b'eHh4\n'))

import base64; print(base64.b64encode(bytearray(b'abc')), base64.b64encode(bytes(range(10))))

import base64, binascii
try: base64.b64decode('a')
except binascii.Error as e: print(type(e).__name__, e, isinstance(e, ValueError))

import base64; print([base64.b64decode(base64.b64encode(bytes(range(n)))) == bytes(range(n)) for n in range(8)], [base64.b85decode(base64.b85encode(bytes(range(n)))) == bytes(range(n)) for n in range(8)])

import base64, io; o = io.BytesIO(); base64.encode(io.BytesIO(b'data'), o); print(o.getvalue())
