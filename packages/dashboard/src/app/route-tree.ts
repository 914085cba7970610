import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { agentRoutes } from '../features/agents/routes.ts'
import { auditRoutes } from '../features/audit/routes.ts'
import { brandingRoutes } from '../features/branding/routes.ts'
import { callRoutes } from '../features/calls/routes.ts'
import { chatAgentRoutes } from '../features/chat-agents/routes.ts'
import { chatRoutes } from '../features/chats/routes.ts'
import { flowRoutes } from '../features/flows/routes.ts'
import { homeRoutes } from '../features/home/routes.ts'
import { knowledgeRoutes } from '../features/knowledge/routes.ts'
import { llmRoutes } from '../features/llms/routes.ts'
import { numberRoutes } from '../features/numbers/routes.ts'
import { profileRoutes } from '../features/profile/routes.ts'
import { providerKeyRoutes } from '../features/provider-keys/routes.ts'
import { secretRoutes } from '../features/secrets/routes.ts'
import { signInRoutes } from '../features/sign-in/routes.ts'
import { teamRoutes } from '../features/team/routes.ts'
import { testCaseRoutes } from '../features/test-cases/routes.ts'
import { tokenRoutes } from '../features/tokens/routes.ts'
import { usageRoutes } from '../features/usage/routes.ts'
import { voiceRoutes } from '../features/voices/routes.ts'
import { webhookRoutes } from '../features/webhooks/routes.ts'
import { workspaceListRoutes } from '../features/workspaces/routes.ts'
import { rootRoute, signedInRoute, workspaceRoute } from '../lib/routes.ts'
import { sessionQuery } from '../lib/session/session.ts'
import { readSetting } from '../lib/settings.ts'
import { Root } from './root.tsx'

rootRoute.update({ component: Root })
workspaceRoute.update({ component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell') })

/** Redirects `/` to the last open workspace, or to the first workspace. */
const startRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: async ({ context: { client } }) => {
    const session = await client.ensureQueryData(sessionQuery)
    const workspaceIds = session?.workspaces.map(({ id }) => id) ?? []
    const lastWorkspaceId = Number(readSetting('workspace'))
    const workspaceId = workspaceIds.includes(lastWorkspaceId) ? lastWorkspaceId : workspaceIds[0]
    if (workspaceId !== undefined) throw redirect({ to: '/$workspaceId', params: { workspaceId }, replace: true })
  },
  component: lazyRouteComponent(() => import('./no-workspace.tsx'), 'NoWorkspace'),
})

export const routeTree = rootRoute.addChildren([
  ...signInRoutes,
  signedInRoute.addChildren([
    startRoute,
    workspaceRoute.addChildren([
      ...homeRoutes,
      ...agentRoutes,
      ...chatAgentRoutes,
      ...llmRoutes,
      ...flowRoutes,
      ...knowledgeRoutes,
      ...voiceRoutes,
      ...numberRoutes,
      ...testCaseRoutes,
      ...callRoutes,
      ...chatRoutes,
      ...usageRoutes,
      ...auditRoutes,
      ...teamRoutes,
      ...tokenRoutes,
      ...webhookRoutes,
      ...providerKeyRoutes,
      ...secretRoutes,
      ...workspaceListRoutes,
      ...brandingRoutes,
      ...profileRoutes,
    ]),
  ]),
])
