import { expect, test } from 'vitest'
import { PostgresConnections } from './postgres-connections.ts'

const SERVER_URL = process.env.TEST_DATABASE_URL ?? ''

test('a connection that breaks before its holder has said anything ends nothing but itself', async () => {
  const connections = new PostgresConnections(SERVER_URL, 2)
  const held = await connections.hold()
  const { rows } = await connections.runOn(held, 'select pg_backend_pid() as pid')
  const ended = new Promise<void>((resolve) => held.on('end', resolve))
  await connections.run('select pg_terminate_backend($1)', [rows[0]?.['pid']])
  await ended
  await expect(connections.runOn(held, 'select 1')).rejects.toThrow()
  held.release(true)
  expect((await connections.run('select 1 as one', [])).rows).toEqual([{ one: 1 }])
  await connections.close()
})
