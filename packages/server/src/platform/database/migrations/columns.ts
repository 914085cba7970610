import type { ColumnDefinitionBuilder } from 'kysely'

/** Column definitions shared by migrations. */

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder

export const required: Column = (column) => column.notNull()
export const key: Column = (column) => column.notNull().primaryKey()
export const unique: Column = (column) => column.notNull().unique()

/** Defines a reference to a parent row. Deleting the parent deletes the row. */
export const referenceTo =
  (parent: string): Column =>
  (column) =>
    column.notNull().references(parent).onDelete('cascade')

/** Defines a reference to an optional parent row. Deleting the parent deletes the row. */
export const optionalReferenceTo =
  (parent: string): Column =>
  (column) =>
    column.references(parent).onDelete('cascade')
