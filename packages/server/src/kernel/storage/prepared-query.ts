import type { Compilable, CompiledQuery } from 'kysely'
import type { Database, Reader } from './database.ts'

/** Stands for the argument of that name wherever a builder takes a single value; not for lists, `undefined` or `sql.lit`. */
export type Slots<Args> = <Name extends keyof Args & string>(name: Name) => Args[Name]

/** Builds a query once. Whatever is not a slot stays as it is for every execution. */
export type BuildQuery<Args, Row> = (reader: Reader, slot: Slots<Args>) => Compilable<Row>

/**
 * A query that is built and compiled once per dialect and then only executed: for hot paths, where building costs more than
 * the look-up. Takes the reading handle or a transaction's.
 */
export function prepareQuery<Args, Row>(build: BuildQuery<Args, Row>): (reader: Reader, args: Args) => Promise<Row[]> {
  const fill = createTemplates(build)
  return async (reader, args) => {
    const { rows } = await reader.executeQuery(fill(reader, args))
    return rows
  }
}

/** The same for a statement of a batch, or for a write of a transaction that answers no rows. */
export function prepareStatement<Args>(
  build: BuildQuery<Args, unknown>,
): (database: Pick<Database, 'compile'>, args: Args) => CompiledQuery {
  const fill = createTemplates(build)
  return (database, args) => fill(database.compile, args)
}

class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

interface Template<Row> {
  readonly compiled: CompiledQuery<Row>
  /** Which arguments stand where; the rest of the parameters is fixed. */
  readonly places: readonly { readonly index: number; readonly name: string }[]
}

/** Adapters tell dialects apart, so that two backends of one process do not run each other's texts. */
function createTemplates<Args, Row>(build: BuildQuery<Args, Row>): (reader: Reader, args: Args) => CompiledQuery<Row> {
  const templates = new WeakMap<object, Template<Row>>()
  return (reader, args) => {
    const dialect = reader.getExecutor().adapter.constructor
    let template = templates.get(dialect)
    if (template === undefined) {
      template = compileTemplate(build, reader)
      templates.set(dialect, template)
    }
    const { compiled, places } = template
    const parameters = compiled.parameters.slice()
    for (const { index, name } of places) parameters[index] = args[name as keyof Args]
    return { query: compiled.query, queryId: compiled.queryId, sql: compiled.sql, parameters }
  }
}

function compileTemplate<Args, Row>(build: BuildQuery<Args, Row>, reader: Reader): Template<Row> {
  // Builders pass values on as they are, whatever their type.
  const slot = (name: string): never => new Placeholder(name) as never
  const compiled = build(reader, slot).compile() as CompiledQuery<Row>
  const places = compiled.parameters.flatMap((value, index) =>
    value instanceof Placeholder ? [{ index, name: value.name }] : [],
  )
  return { compiled, places }
}
