import { crc32, deflateRawSync } from 'node:zlib'

/** A file to pack. */
export interface PackedFile {
  readonly name: string
  readonly content: string | Uint8Array
  /** An incorrect size in the file list. */
  readonly claimedBytes?: number
}

const DEFLATED = 8

/** Packs files into a zip file. */
export function makeZip(files: readonly PackedFile[]): Uint8Array {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const file of files) {
    const content = Buffer.from(file.content)
    const name = Buffer.from(file.name)
    const packed = deflateRawSync(content, { level: 9 })
    const size = file.claimedBytes ?? content.byteLength
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(DEFLATED, 4)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(packed.byteLength, 14)
    common.writeUInt32LE(size, 18)
    common.writeUInt16LE(name.byteLength, 22)
    const header = Buffer.concat([Buffer.from('PK\x03\x04'), common, name])
    const offsetField = Buffer.alloc(14)
    offsetField.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, offsetField, name]))
    parts.push(header, packed)
    offset += header.byteLength + packed.byteLength
  }
  const fileList = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(fileList.byteLength, 12)
  end.writeUInt32LE(offset, 16)
  return new Uint8Array(Buffer.concat([...parts, fileList, end]))
}
