import {
  ColumnDefinitionNode,
  type DataTypeNode,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'

class PortableQueryCompiler extends PostgresQueryCompiler {
  /** Text is compared and sorted by its bytes, as SQLite does it and whatever the locale of the cluster. */
  protected override visitDataType(node: DataTypeNode): void {
    // What SQLite calls real has eight bytes.
    if (node.dataType === 'real') this.append('double precision')
    else super.visitDataType(node)
    if (node.dataType === 'text' && this.parentNode !== undefined && ColumnDefinitionNode.is(this.parentNode)) {
      this.append(' collate "C"')
    }
  }
}

/** Kysely's PostgreSQL dialect with a driver of our own. */
export function createPostgresDialect(driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PortableQueryCompiler(),
  }
}
