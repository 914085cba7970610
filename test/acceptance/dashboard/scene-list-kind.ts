import type { Page } from 'playwright-core'
import type { NodeDatabase } from '../../../packages/server/src/platform/database/node-database.ts'
import type { ServerClient } from '../../../testing/running-server.ts'
import type { ListParents } from './scene-list-parents.ts'

/** A list of the dashboard and how it gets its rows. */
export interface ListKind {
  /** Name of the test. */
  readonly name: string
  /** Dashboard file that renders the list, relative to `src`. */
  readonly source: string
  path(parents: ListParents): string
  /** Whether the list has rows from the start. */
  readonly neverEmpty?: boolean
  /** Whether the empty list offers no action. */
  readonly hasNoAction?: boolean
  /** Maximum number of rows that the product allows. */
  readonly most?: number
  /** Whether to scroll to the last row instead of a few pages. */
  readonly toItsEnd?: boolean
  /** Whether rows open their own page. */
  readonly opens?: boolean
  /** Whether rows have no focusable controls. */
  readonly hasNoKeys?: boolean
  /** Whether the list has a next-page button instead of infinite scrolling. */
  readonly pages?: boolean
  /** Creates one row over the API, if possible. */
  makeOne(server: ServerClient, parents: ListParents): Promise<unknown>
  /** Inserts further rows. */
  addRows(database: NodeDatabase, count: number, parents: ListParents): Promise<void>
  /** Makes the server notice rows written directly to the database. */
  tell?(server: ServerClient): Promise<unknown>
  /** Filters the list to the one distinct row. */
  narrow?(page: Page): Promise<unknown>
}

export const IN_WORKSPACE = { workspace_id: 1 }

/** Index of the distinct row, far from the first ones. */
const NEEDLE = 700
export const isNeedle = (index: number): boolean => index === NEEDLE

/** Builds the path of a list in the first workspace. */
export const at = (path: string) => (): string => `/1/${path}`

/** Does nothing, for lists whose rows already exist or come from another list. */
export const none = (): Promise<void> => Promise.resolve()
