import {
  activateAgent,
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
  listAgentVersions,
  publishAgent,
  updateAgent,
} from './agent.ts'
import { createChat, deleteChat, endChat, getChat, listChats, updateChat } from './chat.ts'
import { cancelTurn, createCompletion, getTurnEvents } from './completion.ts'
import { getConcurrency } from './concurrency.ts'
import { createLlm, deleteLlm, getLlm, listLlms, listLlmVersions, publishLlm, updateLlm } from './llm.ts'
import type { Operation } from './operation.ts'
import { getSigningSecret, rotateSigningSecret } from './signing-secret.ts'
import { listVoices } from './voice.ts'
import { listWorkspaces } from './workspace.ts'

/** Every operation of the API by its name, in the order of the documentation. */
export const operations = {
  listWorkspaces,
  listLlms,
  createLlm,
  getLlm,
  updateLlm,
  deleteLlm,
  listLlmVersions,
  publishLlm,
  createAgent,
  listAgents,
  getAgent,
  updateAgent,
  listAgentVersions,
  deleteAgent,
  publishAgent,
  activateAgent,
  createChat,
  listChats,
  getChat,
  updateChat,
  deleteChat,
  createCompletion,
  endChat,
  getTurnEvents,
  cancelTurn,
  listVoices,
  getConcurrency,
  getSigningSecret,
  rotateSigningSecret,
} as const satisfies Readonly<Record<string, Operation>>

export type Operations = typeof operations
