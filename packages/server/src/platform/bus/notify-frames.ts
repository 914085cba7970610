/** A payload of NOTIFY has less than 8,000 bytes; the head of a frame needs at most 40 of them. */
const MAX_SLICE_BYTES = 7_900
/** Publishers of which a begun text is kept. Their frames arrive together, so that more than one is a rare moment. */
const MAX_PUBLISHERS = 16
/** Of a begun text; above what the bus sends. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024

/** Cuts a text into payloads `<text number> <part> <parts>\n<slice>`. The number makes equal texts differ: equal payloads of one transaction are delivered once. */
export function toFrames(messageNumber: number, text: string): string[] {
  if (Buffer.byteLength(text) <= MAX_SLICE_BYTES) return [`${messageNumber} 0 1\n${text}`]
  const bytes = Buffer.from(text)
  const slices: string[] = []
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(bytes.length, start + MAX_SLICE_BYTES)
    // Not within a character: its other bytes begin with the bits 10.
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
    slices.push(bytes.toString('utf8', start, end))
    start = end
  }
  return slices.map((slice, part) => `${messageNumber} ${part} ${slices.length}\n${slice}`)
}

interface PartialMessage {
  readonly messageNumber: string
  readonly slices: string[]
  length: number
}

/** Puts texts together again. */
export interface Assembly {
  /** The text that this frame completes; null when there is none. Frames that do not follow each other are dropped. */
  add(publisher: number, frame: string): string | null
  clear(): void
}

export function createAssembly(): Assembly {
  const partials = new Map<number, PartialMessage>()

  function follow(
    publisher: number,
    [messageNumber, part, parts]: readonly [string, number, number],
  ): PartialMessage | null {
    const known = partials.get(publisher)
    partials.delete(publisher)
    if (part === 0) return { messageNumber, slices: [], length: 0 }
    const isNext = known?.messageNumber === messageNumber && known.slices.length === part && part < parts
    return isNext ? known : null
  }

  return {
    add(publisher, frame) {
      const [head = '', messageNumber = '', part, parts] = /^(\d{1,16}) (\d{1,6}) (\d{1,6})\n/.exec(frame) ?? []
      if (head === '') return null
      const text = follow(publisher, [messageNumber, Number(part), Number(parts)])
      if (text === null) return null
      const slice = frame.slice(head.length)
      text.slices.push(slice)
      text.length += slice.length
      if (text.slices.length === Number(parts)) return text.slices.join('')
      if (text.length > MAX_TEXT_BYTES) return null
      partials.set(publisher, text)
      for (const oldest of partials.keys()) {
        if (partials.size <= MAX_PUBLISHERS) break
        partials.delete(oldest)
      }
      return null
    },
    clear: () => partials.clear(),
  }
}
