export type ConstraintKind = 'unique' | 'foreign-key' | 'other'

/**
 * A write that a constraint of the schema refused: nothing of its batch was written, and a unit of work may go on or roll back.
 * The same for every backend; the message names tables and columns, never values.
 */
export class ConstraintError extends Error {
  readonly kind: ConstraintKind
  /** Index of the statement within its batch; null in a unit of work. */
  readonly statement: number | null

  constructor(kind: ConstraintKind, message: string, statement: number | null = null) {
    super(message)
    this.name = 'ConstraintError'
    this.kind = kind
    this.statement = statement
  }
}
