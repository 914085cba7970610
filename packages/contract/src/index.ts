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
import { listAuditLog } from './audit.ts'
import { getBranding, updateBranding } from './branding.ts'
import { archiveCall, deleteCall, getCall, listCalls } from './call.ts'
import { listCallHistory } from './call-history.ts'
import { createChat, deleteChat, endChat, getChat, listChats, updateChat } from './chat.ts'
import {
  activateChatAgent,
  createChatAgent,
  deleteChatAgent,
  getChatAgent,
  listChatAgents,
  listChatAgentVersions,
  publishChatAgent,
  updateChatAgent,
} from './chat-agent.ts'
import { listTurns, rewindChat } from './chat-turn.ts'
import { cancelTurn, createCompletion, getTurnEvents } from './completion.ts'
import { getConcurrency, updateConcurrency } from './concurrency.ts'
import {
  createConversationFlow,
  deleteConversationFlow,
  getConversationFlow,
  listConversationFlows,
  listConversationFlowVersions,
  publishConversationFlow,
  updateConversationFlow,
  validateConversationFlow,
} from './conversation-flow.ts'
import {
  createFlowComponent,
  deleteFlowComponent,
  getFlowComponent,
  listFlowComponents,
  updateFlowComponent,
} from './flow-component.ts'
import { createLlm, deleteLlm, getLlm, listLlms, listLlmVersions, publishLlm, updateLlm } from './llm.ts'
import { listMcpTools } from './mcp-tools.ts'
import { addMember, createPasswordLink, listMembers, removeMember, updateMember } from './member.ts'
import type { Operation } from './operation.ts'
import {
  assignNumberAgents,
  createNumber,
  deleteNumber,
  getNumber,
  importNumber,
  listNumbers,
  updateNumber,
} from './phone-number.ts'
import { runPlayground } from './playground.ts'
import {
  addProviderAdmin,
  createProvider,
  deleteProvider,
  getProvider,
  listProviderAdmins,
  listProviders,
  removeProviderAdmin,
  updateProvider,
} from './provider.ts'
import { createProviderKey, deleteProviderKey, listProviderKeys, updateProviderKey } from './provider-key.ts'
import { changePassword, deleteSession, getSession, listSessions, login, logout, resetPassword } from './session.ts'
import { getSigningSecret, rotateSigningSecret } from './signing-secret.ts'
import {
  addTenantAdmin,
  createTenant,
  deleteTenant,
  getTenant,
  listTenantAdmins,
  listTenants,
  removeTenantAdmin,
  updateTenant,
} from './tenant.ts'
import { createTestCase, deleteTestCase, getTestCase, listTestCases, updateTestCase } from './test-case.ts'
import { createToken, deleteToken, listTokens } from './token.ts'
import { testTool } from './tool-test.ts'
import { getUsage } from './usage.ts'
import { createVoice, deleteVoice, getVoice, listVoices, searchVoices } from './voice.ts'
import { createWorkspace, deleteWorkspace, getWorkspace, listWorkspaces, updateWorkspace } from './workspace.ts'

/** Every operation of the API by its name, in the order of the documentation. */
export const operations = {
  listWorkspaces,
  createWorkspace,
  getWorkspace,
  updateWorkspace,
  deleteWorkspace,
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
  createChatAgent,
  listChatAgents,
  getChatAgent,
  updateChatAgent,
  listChatAgentVersions,
  deleteChatAgent,
  publishChatAgent,
  activateChatAgent,
  createChat,
  listChats,
  getChat,
  updateChat,
  deleteChat,
  createCompletion,
  endChat,
  getTurnEvents,
  cancelTurn,
  listTurns,
  rewindChat,
  runPlayground,
  testTool,
  listMcpTools,
  createConversationFlow,
  listConversationFlows,
  getConversationFlow,
  updateConversationFlow,
  deleteConversationFlow,
  listConversationFlowVersions,
  publishConversationFlow,
  validateConversationFlow,
  createFlowComponent,
  listFlowComponents,
  getFlowComponent,
  updateFlowComponent,
  deleteFlowComponent,
  listVoices,
  searchVoices,
  getVoice,
  createVoice,
  deleteVoice,
  assignNumberAgents,
  listNumbers,
  createNumber,
  importNumber,
  getNumber,
  updateNumber,
  deleteNumber,
  createTestCase,
  listTestCases,
  getTestCase,
  updateTestCase,
  deleteTestCase,
  listCalls,
  listCallHistory,
  getCall,
  archiveCall,
  deleteCall,
  getConcurrency,
  updateConcurrency,
  getUsage,
  listTokens,
  createToken,
  deleteToken,
  login,
  logout,
  getSession,
  listSessions,
  deleteSession,
  changePassword,
  resetPassword,
  getSigningSecret,
  rotateSigningSecret,
  listProviderKeys,
  createProviderKey,
  updateProviderKey,
  deleteProviderKey,
  listAuditLog,
  listMembers,
  addMember,
  updateMember,
  removeMember,
  createPasswordLink,
  listTenants,
  createTenant,
  getTenant,
  updateTenant,
  deleteTenant,
  listTenantAdmins,
  addTenantAdmin,
  removeTenantAdmin,
  listProviders,
  createProvider,
  getProvider,
  updateProvider,
  deleteProvider,
  listProviderAdmins,
  addProviderAdmin,
  removeProviderAdmin,
  getBranding,
  updateBranding,
} as const satisfies Readonly<Record<string, Operation>>

export type Operations = typeof operations
