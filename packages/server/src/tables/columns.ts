/** Column types of the portable subset: ids are text, times integer milliseconds, booleans 0 or 1, JSON is text. */

export type Json = string
export type Milliseconds = number
export type Flag = 0 | 1
