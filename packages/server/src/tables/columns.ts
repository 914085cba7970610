/** What columns hold: the portable subset. Ids are text, times integer milliseconds, booleans 0 or 1, JSON is text. */

export type Json = string
export type Milliseconds = number
export type Flag = 0 | 1
