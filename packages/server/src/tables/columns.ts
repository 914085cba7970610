/** Column types of the portable subset: ids are text, times are integer milliseconds, booleans are 0 or 1, and JSON is text. */

export type Json = string
export type Milliseconds = number
export type Flag = 0 | 1
