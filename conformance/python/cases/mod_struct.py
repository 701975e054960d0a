import struct; print(struct.pack('<i', 1), struct.pack('>i', 1), struct.pack('<hHbB', -1, 65535, -1, 255), struct.pack('!I', 258))

import struct; print(struct.unpack('<if', struct.pack('<if', 5, 1.5)), struct.unpack('>d', struct.pack('>d', -2.25)), struct.unpack('<q', b'\xff' * 8))

import struct; print(struct.calcsize('<ihb'), struct.calcsize('ihb'), struct.calcsize('bi'), struct.calcsize('<3s2x'), struct.calcsize('q'), struct.calcsize('P') > 0)

import struct; print(struct.pack('5s', b'abc'), struct.pack('3s', b'abcdef'), struct.pack('4p', b'ab'), struct.unpack('3s', b'abc'), struct.pack('c', b'x'))

import struct; print(struct.pack('<?', True), struct.unpack('<??', b'\x00\x02'), struct.pack('<2h', 1, 2), struct.pack('<3x'), struct.unpack('<2h', b'\x01\x00\x02\x00'))

import struct; print(struct.pack('<e', 1.5), struct.unpack('<e', b'\x00\x3e'), struct.pack('<f', 1e10), struct.pack('<d', float('inf')))

import struct; struct.pack('<b', 200)

import struct; struct.pack('<I', -1)

import struct; struct.unpack('<i', b'abc')

import struct; struct.pack('<i')

import struct; struct.pack('<i', 'a')

import struct; struct.pack('<z', 1)

import struct; s = struct.Struct('<hh'); print(s.size, s.format, s.pack(1, 2), s.unpack(b'\x01\x00\x02\x00'), list(s.iter_unpack(b'\x01\x00\x02\x00' * 2)))

import struct; print(list(struct.iter_unpack('<h', b'\x01\x00\x02\x00')), struct.unpack_from('<h', b'\x00\x00\x05\x00', 2), struct.unpack_from('<b', b'\x01\x02', offset=1))

import struct; b = bytearray(6); struct.pack_into('<h', b, 2, 258); print(b)

import struct; struct.pack('<f', 'x')

import struct; struct.pack('<f', 1e300)

import struct; print(struct.pack('=l', 1), struct.pack('<Q', 2**64 - 1), struct.unpack('<Q', b'\xff' * 8), struct.pack('>H', 0x1234).hex())

import struct; print(struct.unpack('<4s i', b'RIFF\x01\x00\x00\x00'), struct.pack(' <h h', 1, 2), struct.pack(b'<h', 3))

import struct; struct.unpack('<hh', b'\x00\x00')
