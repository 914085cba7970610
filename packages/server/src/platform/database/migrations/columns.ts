import type { ColumnDefinitionBuilder } from 'kysely'

/** What columns of every step share. */

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder

export const required: Column = (column) => column.notNull()
export const key: Column = (column) => column.notNull().primaryKey()
export const unique: Column = (column) => column.notNull().unique()

/** A child that cannot live without its parent goes with it. */
export const childOf =
  (parent: string): Column =>
  (column) =>
    column.notNull().references(parent).onDelete('cascade')

/** The same where a row may have no such parent. */
export const optionalChildOf =
  (parent: string): Column =>
  (column) =>
    column.references(parent).onDelete('cascade')
