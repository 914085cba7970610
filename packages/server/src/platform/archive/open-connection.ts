import { withLocation } from './archive-error.ts'
import type { Connection, ConnectionMode } from './connection.ts'
import type { Address } from './installation-address.ts'
import { openPostgresConnection } from './postgres-connection.ts'
import { openSqliteConnection } from './sqlite-connection.ts'

/** Opens the database; a file is made only when there is to be written. What stands in the way is told with its place. */
export async function openConnection(address: Address, mode: ConnectionMode): Promise<Connection> {
  try {
    return await (address.kind === 'postgres'
      ? openPostgresConnection(address, mode)
      : openSqliteConnection(address, mode))
  } catch (error) {
    throw withLocation(error, address.place)
  }
}
