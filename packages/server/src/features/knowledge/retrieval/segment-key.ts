/** A source as it was read at one time. */
export interface SourceGeneration {
  readonly sourceId: string
  readonly generation: number
}

/**
 * What an index knows a source's segment by. A source whose segment was made of its passages has several, each with the
 * position that it begins at.
 */
export function segmentKey({ sourceId, generation }: SourceGeneration, from?: number): string {
  const key = `${sourceId}@${generation}`
  return from === undefined ? key : `${key}+${from}`
}

/** Which source a segment is of. */
export function readSegmentKey(key: string): SourceGeneration {
  const split = key.lastIndexOf('@')
  const [generation = ''] = key.slice(split + 1).split('+')
  return { sourceId: key.slice(0, split), generation: Number(generation) }
}
