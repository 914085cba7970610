import { sql } from 'kysely'
import type { Reader } from '../../kernel/storage/database.ts'
import { type CallFilter, inWorkspaces, MAX_LISTED_WORKSPACES } from './call-filter.ts'

/** An agent under one of the names that it had in calls. */
export interface CallAgent {
  readonly agent_number: number
  readonly agent_id: string
  readonly agent_name: string
}

/** Agents of calls under each name that they had: few, so that names are compared here and not indexed for every call. */
export async function readCallAgents(
  reader: Reader,
  { workspaceIds, agentId }: CallFilter,
): Promise<readonly CallAgent[]> {
  if (workspaceIds.length === 0) return []
  const ofAgent = agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`
  const { rows } = await sql<CallAgent>`
    select agent_number, agent_id, agent_name from call_agents
    where ${inWorkspaces(sql`workspace_id`, workspaceIds)} ${ofAgent}`.execute(reader)
  return rows
}

/** Those whose name has the text, large or small. */
export function agentsNamed(agents: readonly CallAgent[], text: string): readonly CallAgent[] {
  const lowercased = text.toLowerCase()
  return agents.filter((agent) => agent.agent_name.toLowerCase().includes(lowercased))
}

export const agentNumbersOf = (agents: readonly CallAgent[]): number[] => agents.map((agent) => agent.agent_number)

/**
 * How the workspaces are told apart: not at all where nobody else has calls; by the index; or, since so many would make its
 * query long, behind it.
 */
export type WorkspaceReach = 'everything' | 'few' | 'many'

export async function readReach(reader: Reader, workspaceIds: readonly number[]): Promise<WorkspaceReach> {
  if (workspaceIds.length === 1) return 'few'
  const others = sql`select 1 from call_agents where not (${inWorkspaces(sql`workspace_id`, workspaceIds)}) limit 1`
  const { rows } = await others.execute(reader)
  if (rows.length === 0) return 'everything'
  return workspaceIds.length > MAX_LISTED_WORKSPACES ? 'many' : 'few'
}
