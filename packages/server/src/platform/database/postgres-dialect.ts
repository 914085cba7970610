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
  /** Compares and sorts text by bytes, as SQLite does, regardless of the cluster's locale. */
  protected override visitDataType(node: DataTypeNode): void {
    // A real has eight bytes in SQLite.
    if (node.dataType === 'real') this.append('double precision')
    else super.visitDataType(node)
    if (node.dataType === 'text' && this.parentNode !== undefined && ColumnDefinitionNode.is(this.parentNode)) {
      this.append(' collate "C"')
    }
  }
}

/** Creates Kysely's PostgreSQL dialect with our driver. */
export function createPostgresDialect(driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PortableQueryCompiler(),
  }
}
