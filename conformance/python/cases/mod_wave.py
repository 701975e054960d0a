import wave
with wave.open('a.wav', 'wb') as w: w.setnchannels(1); w.setsampwidth(2); w.setframerate(8000); w.writeframes(b'\x01\x00\x02\x00'); print(w.getnframes(), w.tell())
with wave.open('a.wav', 'rb') as r: print(r.getnchannels(), r.getsampwidth(), r.getframerate(), r.getnframes(), r.readframes(10), r.getparams())

import wave, io; b = io.BytesIO(); w = wave.open(b, 'wb'); w.setparams((2, 2, 44100, 0, 'NONE', 'not compressed')); w.writeframes(b'\0' * 16); w.close(); v = b.getvalue(); print(len(v), v[:4], v[8:16], v[36:40])

import wave, io; b = io.BytesIO(); w = wave.open(b, 'wb'); w.setnchannels(1); w.setsampwidth(1); w.setframerate(100); w.writeframes(bytes(range(10))); w.close(); b.seek(0); r = wave.open(b); print(r.readframes(3), r.tell(), r.readframes(2)); r.rewind(); print(r.readframes(1)); r.setpos(8); print(r.readframes(9))

import wave; wave.open('nope.wav')

import wave; open('bad.wav', 'wb').write(b'not a wave file at all'); wave.open('bad.wav', 'rb')

import wave, io; w = wave.open(io.BytesIO(), 'wb'); w.setnchannels(0)

import wave, io; w = wave.open(io.BytesIO(), 'wb'); w.setsampwidth(9)

import wave, io; w = wave.open(io.BytesIO(), 'wb'); w.setframerate(0)

import wave, io; w = wave.open(io.BytesIO(), 'wb'); w.writeframes(b'x')

import wave, io; wave.open(io.BytesIO(), 'x')

import wave, io; w = wave.open(io.BytesIO(), 'wb'); w.getnchannels()

import wave, io; b = io.BytesIO(); w = wave.open(b, 'wb'); w.setnchannels(2); w.setsampwidth(2); w.setframerate(16000); w.setcomptype('NONE', 'nc'); print(w.getnchannels(), w.getsampwidth(), w.getframerate(), w.getcomptype(), w.getcompname())

import wave, io, struct; b = io.BytesIO(); w = wave.open(b, 'wb'); w.setnchannels(1); w.setsampwidth(2); w.setframerate(4); w.writeframes(struct.pack('<4h', 0, 100, -100, 32767)); w.close(); b.seek(0); r = wave.open(b); print(struct.unpack('<4h', r.readframes(4)), r.getnframes() / r.getframerate())

import wave; print(issubclass(wave.Error, Exception), wave.WAVE_FORMAT_PCM, wave.Wave_read.__name__, wave.Wave_write.__name__)

import wave, io; b = io.BytesIO(); w = wave.open(b, 'wb'); w.setnchannels(1); w.setsampwidth(2); w.setframerate(8); w.writeframesraw(b'\0\0'); w.writeframesraw(b'\1\0'); w.close(); b.seek(0); r = wave.open(b); print(r.getnframes(), r.readframes(5))

import wave, io; b = io.BytesIO(); w = wave.open(b, 'wb'); w.setnchannels(1); w.setsampwidth(1); w.setframerate(8); w.writeframes(b'ab'); w.close(); b.seek(0); r = wave.open(b); r.setpos(5)

import wave, io; b = io.BytesIO(); w = wave.open(b, 'wb'); w.setnchannels(1); w.setsampwidth(1); w.setframerate(8); w.writeframes(b'a'); w.setnchannels(2)

import wave
with wave.open('s.wav', 'w') as w: w.setnchannels(1); w.setsampwidth(2); w.setframerate(22050.7); w.writeframes(b''); print(w.getframerate())
print(open('s.wav', 'rb').read(4))

import wave, io; b = io.BytesIO(); w = wave.open(b, 'wb'); w.setnchannels(1); w.setsampwidth(3); w.setframerate(8); w.writeframes(b'abcdef'); w.close(); b.seek(0); p = wave.open(b).getparams(); print(p.sampwidth, p.nframes, p._asdict())

import wave, math, struct
with wave.open('sine.wav', 'wb') as f: f.setnchannels(1); f.setsampwidth(2); f.setframerate(8000); f.writeframes(b''.join(struct.pack('<h', int(1000 * math.sin(2 * math.pi * 440 * i / 8000))) for i in range(20)))
with wave.open('sine.wav') as f: print(struct.unpack('<5h', f.readframes(5)), f.getnframes())

import wave, io; r = wave.open(io.BytesIO(b'RIFF\x28\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x03\x00\x01\x00\x40\x1f\x00\x00\x00\x7d\x00\x00\x04\x00\x20\x00data\x04\x00\x00\x00abcd'))

import wave, io; r = wave.open(io.BytesIO(b'RIFF\x24\x00\x00\x00JUNKfmt '))
