/**
 * A segment: magic, version, chunks (position, words of text, headings and title, hash), languages, dictionary (word, number of chunks, size of its
 * postings), words that stand under other terms, postings, checksum. Integers are varints unless said otherwise.
 */
export const SEGMENT_MAGIC: readonly number[] = [0x4b, 0x42, 0x49]
/** Goes up whenever segments of before cannot be read, or mean something else: tokens and stems are part of it. */
export const SEGMENT_VERSION = 3

/** A posting is the distance to the chunk before, times eight, plus these; the count follows unless it is one. */
export const FLAG_IN_HEADINGS = 1
export const FLAG_IN_TITLE = 2
export const FLAG_SINGLE_OCCURRENCE = 4
