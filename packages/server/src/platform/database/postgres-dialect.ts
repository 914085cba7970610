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
  /** Makes text compare and sort by bytes, like SQLite, whatever the locale of the cluster. */
  protected override visitDataType(node: DataTypeNode): void {
    // A real has eight bytes in SQLite.
    if (node.dataType === 'real') this.append('double precision')
    else super.visitDataType(node)
    if (node.dataType === 'text' && this.parentNode !== undefined && ColumnDefinitionNode.is(this.parentNode)) {
      this.append(' collate "C"')
    }
  }
}

/** Kysely's PostgreSQL dialect with our driver. */
export function createPostgresDialect(driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PortableQueryCompiler(),
  }
}
