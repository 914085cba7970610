import type { Compilable, CompiledQuery } from 'kysely'
import type { Database, Reader } from './database.ts'

/** Creates a placeholder for a named argument. Does not support lists, `undefined` or `sql.lit`. */
export type CreatePlaceholder<Args> = <Name extends keyof Args & string>(name: Name) => Args[Name]

/** Builds a query. Only the values of the placeholders differ between executions. */
export type BuildQuery<Args, Row> = (reader: Reader, param: CreatePlaceholder<Args>) => Compilable<Row>

/**
 * Compiles a query once per dialect, for hot paths where building the query costs more than the lookup. Accepts a reader or a
 * transaction.
 */
export function prepareQuery<Args, Row>(build: BuildQuery<Args, Row>): (reader: Reader, args: Args) => Promise<Row[]> {
  const fillTemplate = createTemplates(build)
  return async (reader, args) => {
    const { rows } = await reader.executeQuery(fillTemplate(reader, args))
    return rows
  }
}

/** Compiles a batch statement, or a write without returned rows, once per dialect. */
export function prepareStatement<Args>(
  build: BuildQuery<Args, unknown>,
): (database: Pick<Database, 'queryBuilder'>, args: Args) => CompiledQuery {
  const fillTemplate = createTemplates(build)
  return (database, args) => fillTemplate(database.queryBuilder, args)
}

class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

interface Template<Row> {
  readonly compiledQuery: CompiledQuery<Row>
  /** Positions of the arguments. All other parameters are constant. */
  readonly slots: readonly { readonly index: number; readonly name: string }[]
}

/** Caches compiled queries by adapter, so that two dialects in one process do not share statements. */
function createTemplates<Args, Row>(build: BuildQuery<Args, Row>): (reader: Reader, args: Args) => CompiledQuery<Row> {
  const templates = new WeakMap<object, Template<Row>>()
  return (reader, args) => {
    const dialect = reader.getExecutor().adapter.constructor
    let template = templates.get(dialect)
    if (template === undefined) {
      template = compileTemplate(build, reader)
      templates.set(dialect, template)
    }
    const { compiledQuery, slots } = template
    const parameters = compiledQuery.parameters.slice()
    for (const { index, name } of slots) parameters[index] = args[name as keyof Args]
    return { query: compiledQuery.query, queryId: compiledQuery.queryId, sql: compiledQuery.sql, parameters }
  }
}

function compileTemplate<Args, Row>(build: BuildQuery<Args, Row>, reader: Reader): Template<Row> {
  // Query builders pass values through unchanged.
  const param = (name: string): never => new Placeholder(name) as never
  const compiledQuery = build(reader, param).compile() as CompiledQuery<Row>
  const slots = compiledQuery.parameters.flatMap((value, index) =>
    value instanceof Placeholder ? [{ index, name: value.name }] : [],
  )
  return { compiledQuery, slots }
}
