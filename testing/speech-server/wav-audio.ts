/** Samples of one channel. */
export interface Recording {
  readonly samples: Int16Array
  readonly rateHz: number
}

/** Reads a WAV file of 16-bit samples in one channel. Returns a sentence if the file has another format. */
export function readWav(bytes: Buffer): Recording | string {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') return 'not a WAV file'
  let position = 12
  let rateHz = 0
  while (position + 8 <= bytes.length) {
    const name = bytes.toString('latin1', position, position + 4)
    const size = bytes.readUInt32LE(position + 4)
    const content = position + 8
    if (name === 'fmt ') {
      const [format, channels, bits] = [0, 2, 14].map((offset) => bytes.readUInt16LE(content + offset))
      if (format !== 1 || channels !== 1 || bits !== 16) return 'not 16-bit PCM of one channel'
      rateHz = bytes.readUInt32LE(content + 4)
    } else if (name === 'data') {
      if (rateHz === 0) return 'no format before the data'
      if (content + size > bytes.length) return 'the data is cut off'
      const samples = new Int16Array(size >> 1)
      for (let index = 0; index < samples.length; index += 1) samples[index] = bytes.readInt16LE(content + index * 2)
      return { samples, rateHz }
    }
    position = content + size + (size & 1)
  }
  return 'no data'
}

/** Writes a WAV file in the format that `readWav` reads. */
export function writeWav({ samples, rateHz }: Recording): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + samples.length * 2, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rateHz, 24)
  header.writeUInt32LE(rateHz * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(samples.length * 2, 40)
  return Buffer.concat([header, toPcm(samples)])
}

/** Converts samples to little-endian bytes. */
export function toPcm(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2)
  for (let index = 0; index < samples.length; index += 1) bytes.writeInt16LE(samples[index] ?? 0, index * 2)
  return bytes
}
