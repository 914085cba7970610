import type { Page } from 'playwright-core'
import type { NodeDatabase } from '../../../packages/server/src/platform/database/node-database.ts'
import type { ServerClient } from '../../../testing/running-server.ts'
import type { ListParents } from './scene-list-parents.ts'

/** A list of the dashboard and how it gets its rows. */
export interface ListKind {
  /** What the test calls it. */
  readonly name: string
  /** The file of the dashboard that reads or draws it, below `src`. */
  readonly source: string
  path(parents: ListParents): string
  /** Is there before anybody has made anything. */
  readonly neverEmpty?: boolean
  /** There is nothing to do about it that it is empty. */
  readonly hasNoAction?: boolean
  /** More rows than this the product does not allow. */
  readonly most?: number
  /** Is scrolled to its very last row, however long that takes; the others for a few answers of the server. */
  readonly toItsEnd?: boolean
  /** Rows open their own page. */
  readonly opens?: boolean
  /** Nothing in a row can be reached by keys. */
  readonly hasNoKeys?: boolean
  /** Has a button to the next page instead of an end that is scrolled to. */
  readonly pages?: boolean
  /** Makes one row as people do, where a request can. */
  makeOne(server: ServerClient, parents: ListParents): Promise<unknown>
  /** Puts rows beside that one. */
  addRows(database: NodeDatabase, count: number, parents: ListParents): Promise<void>
  /** Has the server notice what was written past it, where it would not. */
  tell?(server: ServerClient): Promise<unknown>
  /** Narrows the list to the one row that differs from the others. */
  narrow?(page: Page): Promise<unknown>
}

export const IN_WORKSPACE = { workspace_id: 1 }

/** The row among many that is looked for: far from the first ones. */
const NEEDLE = 700
export const isNeedle = (index: number): boolean => index === NEEDLE

/** The path of a list in the first workspace. */
export const at = (path: string) => (): string => `/1/${path}`

/** For rows that exist already, or that another list adds. */
export const none = (): Promise<void> => Promise.resolve()
