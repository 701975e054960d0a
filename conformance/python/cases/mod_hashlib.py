import hashlib; print(hashlib.md5(b'').hexdigest(), hashlib.md5(b'abc').hexdigest())

import hashlib; print(hashlib.sha1(b'abc').hexdigest(), hashlib.sha1().hexdigest())

import hashlib; print(hashlib.sha256(b'abc').hexdigest())

import hashlib; print(hashlib.sha512(b'abc').hexdigest())

import hashlib; print(hashlib.sha224(b'abc').hexdigest(), hashlib.sha384(b'abc').hexdigest())

import hashlib; print(hashlib.blake2b(b'abc').hexdigest(), hashlib.blake2s(b'abc').hexdigest())

import hashlib; print(hashlib.blake2b(b'abc', digest_size=16).hexdigest(), hashlib.blake2b(b'', key=b'k').hexdigest()[:16])

import hashlib; print(hashlib.sha3_256(b'abc').hexdigest(), hashlib.sha3_512(b'').hexdigest()[:16], hashlib.sha3_224(b'').hexdigest(), hashlib.sha3_384(b'').hexdigest()[:16])

import hashlib; print(hashlib.shake_128(b'abc').hexdigest(8), hashlib.shake_256(b'abc').digest(4))

import hashlib; h = hashlib.md5(); h.update(b'a'); h.update(bytearray(b'bc')); print(h.hexdigest(), h.digest())

import hashlib; h = hashlib.sha256(b'x'); c = h.copy(); c.update(b'y'); print(h.hexdigest() == hashlib.sha256(b'x').hexdigest(), c.hexdigest() == hashlib.sha256(b'xy').hexdigest())

import hashlib; h = hashlib.sha1(); print(h.name, h.digest_size, h.block_size, hashlib.sha512().block_size, hashlib.md5().digest_size)

import hashlib; hashlib.sha256('abc')

import hashlib; h = hashlib.md5(); h.update('x')

import hashlib; hashlib.md5(5)

import hashlib; print(hashlib.new('sha256', b'a').hexdigest()[:12], hashlib.new('md5').name)

import hashlib; print(hashlib.md5(b'a', usedforsecurity=False).hexdigest(), sorted(hashlib.algorithms_guaranteed)[:4])

import hashlib; print(hashlib.pbkdf2_hmac('sha256', b'pw', b'salt', 10).hex())

import hashlib; print(hashlib.pbkdf2_hmac('sha1', b'pw', b'salt', 2, 8).hex())

import hashlib; print(hashlib.sha256(b'abc') == hashlib.sha256(b'abc'), len(hashlib.sha384(b'').digest()), type(hashlib.md5(b'').digest()).__name__)

import hashlib
def file_hash(path, algo='sha256', chunk=4):
    h = hashlib.new(algo)
    with open(path, 'rb') as f:
        for b in iter(lambda: f.read(chunk), b''): h.update(b)
    return h.hexdigest()
open('t.bin', 'wb').write(b'hello world'); print(file_hash('t.bin') == hashlib.sha256(b'hello world').hexdigest())

import hashlib
open('t.bin', 'wb').write(b'abc')
with open('t.bin', 'rb') as f: print(hashlib.file_digest(f, 'sha256').hexdigest()[:16])

import hashlib, json; print(hashlib.sha1(json.dumps({'b': 1, 'a': 2}, sort_keys=True).encode('utf-8')).hexdigest()[:10], int(hashlib.md5(b'seed').hexdigest(), 16) % 1000)
