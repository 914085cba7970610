/**
 * Access rights by operation, written by hand from the decisions and not the contract: the row in the table of rights
 * and the place of the workspace in requests.
 */

export type Row =
  | 'read'
  | 'write'
  | 'calls'
  | 'own-tokens'
  | 'admin'
  | 'account'
  | 'tenants'
  | 'providers'
  | 'session'
  | 'public'

type Place = 'query' | 'body' | 'path' | 'optional' | 'inferred' | 'none'

export interface TableEntry {
  readonly row: Row
  readonly workspace: Place
}

/** Each line contains the operation, its row in the table, and where the request names the workspace. */
const LINES = `
  listWorkspaces               read        none
  createWorkspace              account     none
  getWorkspace                 read        path
  updateWorkspace              account     path
  deleteWorkspace              account     path

  listLlms                     read        query
  createLlm                    write       body
  getLlm                       read        query
  updateLlm                    write       body
  deleteLlm                    write       query
  listLlmVersions              read        query
  publishLlm                   write       body
  listModels                   read        query

  createAgent                  write       body
  listAgents                   read        query
  getAgent                     read        query
  updateAgent                  write       body
  listAgentVersions            read        query
  deleteAgent                  write       query
  publishAgent                 write       body
  activateAgent                write       body
  saveAgentDraft               write       body

  createChatAgent              write       body
  listChatAgents               read        query
  getChatAgent                 read        query
  updateChatAgent              write       body
  listChatAgentVersions        read        query
  deleteChatAgent              write       query
  publishChatAgent             write       body
  activateChatAgent            write       body
  saveChatAgentDraft           write       body

  createChat                   calls       body
  listChats                    read        query
  getChat                      read        query
  updateChat                   calls       body
  deleteChat                   write       query
  createCompletion             calls       body
  endChat                      calls       body
  getTurnEvents                read        query
  cancelTurn                   calls       body
  listTurns                    read        query
  rewindChat                   calls       body
  analyseChat                  calls       body

  runPlayground                write       body
  testTool                     write       body
  listMcpTools                 write       query

  createConversationFlow       write       body
  listConversationFlows        read        query
  getConversationFlow          read        query
  updateConversationFlow       write       body
  deleteConversationFlow       write       query
  listConversationFlowVersions read        query
  publishConversationFlow      write       body
  validateConversationFlow     write       body

  createFlowComponent          write       body
  listFlowComponents           read        query
  getFlowComponent             read        query
  updateFlowComponent          write       body
  deleteFlowComponent          write       query

  listKnowledgeBases           read        query
  createKnowledgeBase          write       body
  getKnowledgeBase             read        query
  updateKnowledgeBase          write       body
  deleteKnowledgeBase          write       query
  addKnowledgeSources          write       body
  listKnowledgeSources         read        query
  deleteKnowledgeSource        write       query
  listKnowledgeChunks          read        query
  refreshKnowledgeBase         write       body
  searchKnowledgeBase          read        body

  listVoices                   read        query
  searchVoices                 read        body
  getVoice                     read        query
  createVoice                  write       body
  updateVoice                  write       body
  deleteVoice                  write       query
  getVoicePreview              read        query
  previewVoice                 write       body

  assignNumberAgents           write       body
  listNumbers                  read        query
  createNumber                 write       body
  importNumber                 write       body
  getNumber                    read        query
  updateNumber                 write       body
  verifyNumber                 providers   body
  deleteNumber                 write       query

  createTestCase               write       body
  listTestCases                read        query
  getTestCase                  read        query
  updateTestCase               write       body
  deleteTestCase               write       query

  listCalls                    read        optional
  listCallHistory              read        optional
  getCall                      read        inferred
  archiveCall                  calls       inferred
  deleteCall                   admin       inferred
  createWebCall                calls       inferred
  updateCall                   calls       inferred
  endCall                      calls       inferred
  controlCall                  calls       inferred
  listenToCall                 calls       inferred
  getCallEvents                read        inferred
  getCallTranscript            read        inferred
  getCallRecording             read        inferred
  getCallRecordingPeaks        read        inferred
  deleteCallRecording          admin       inferred
  analyseCall                  calls       inferred

  getConcurrency               read        query
  updateConcurrency            account     body
  getUsage                     read        optional

  listWebhooks                 admin       query
  createWebhook                admin       body
  getWebhook                   admin       query
  updateWebhook                admin       body
  deleteWebhook                admin       query
  listWebhookDeliveries        admin       query
  getWebhookDelivery           admin       query
  resendWebhookDelivery        admin       body

  listTokens                   own-tokens  none
  createToken                  own-tokens  none
  deleteToken                  own-tokens  none

  login                        public      none
  logout                       session     none
  getSession                   session     none
  listSessions                 session     none
  deleteSession                session     none
  updateProfile                session     none
  changePassword               session     none
  confirmPassword              session     none
  resetPassword                public      none
  acceptInvitation             session     none

  getSigningSecret             admin       query
  rotateSigningSecret          admin       body

  listWorkspaceSecrets         admin       query
  putWorkspaceSecret           admin       body
  deleteWorkspaceSecret        admin       query

  listProviderKeys             admin       optional
  createProviderKey            admin       none
  updateProviderKey            admin       none
  testProviderKey              admin       none
  deleteProviderKey            admin       none

  listAuditLog                 admin       optional

  listMembers                  admin       path
  addMember                    admin       path
  updateMember                 admin       path
  removeMember                 admin       path
  createPasswordLink           admin       path

  listTenants                  tenants     none
  createTenant                 tenants     none
  getTenant                    account     none
  updateTenant                 tenants     none
  deleteTenant                 tenants     none
  listTenantAdmins             account     none
  addTenantAdmin               account     none
  removeTenantAdmin            account     none

  listProviders                tenants     none
  createProvider               providers   none
  getProvider                  tenants     none
  updateProvider               providers   none
  deleteProvider               providers   none
  listProviderAdmins           tenants     none
  addProviderAdmin             tenants     none
  removeProviderAdmin          tenants     none

  getBranding                  public      none
  updateBranding               account     none
  getBrandDomain               account     none
  verifyBrandDomain            account     none
`

/** Entries by operation. Administrators can read their own tenant or provider and manage its administrators. */
export const RIGHTS_TABLE: Readonly<Record<string, TableEntry>> = Object.fromEntries(
  LINES.split('\n')
    .map((line) => line.trim().split(/ +/))
    .filter(([name]) => name !== '')
    .map(([name = '', row, workspace]) => [name, { row: row as Row, workspace: workspace as Place }]),
)

/** Rights that the token needs and the minimum role of a member, or null if no member is allowed. */
export const ROWS = {
  read: { scope: 'read', member: 'viewer', actor: 'end_user' },
  write: { scope: 'write', member: 'editor', actor: 'end_user' },
  calls: { scope: 'calls', member: 'editor', actor: 'end_user' },
  'own-tokens': { scope: 'admin', member: 'viewer', actor: 'end_user' },
  admin: { scope: 'admin', member: 'admin', actor: 'end_user' },
  account: { scope: 'admin', member: null, actor: 'tenant_admin' },
  tenants: { scope: 'admin', member: null, actor: 'provider_admin' },
  providers: { scope: 'admin', member: null, actor: 'platform_admin' },
} as const
