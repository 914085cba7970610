import { Circle, CircleCheck } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { requestHotkey } from '../../lib/keys/hotkeys.ts'
import { type Translate, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { isDemoName, listSetupSteps, type SetupStepName } from './setup-steps.ts'

interface SetupListProps {
  readonly hasConversation: boolean | null
  /** Whether `hasConversation` is loading. */
  readonly isLoading: boolean
}

/** Lists the setup steps until all of them are done. */
export function SetupList({ hasConversation, isLoading }: SetupListProps) {
  const t = useText()
  const can = useCan()
  const workspaceId = useWorkspaceId()
  const params = { query: { limit: 50 } } as const
  const providerKeys = useRead('listProviderKeys', params, { enabled: can('listProviderKeys') })
  const agents = useRead('listAgents', params, { enabled: can('createAgent') })
  const chatAgents = useRead('listChatAgents', params, { enabled: can('createChatAgent') })
  const tokens = useRead('listTokens', params, { enabled: can('createToken') })
  const allAgents = agents.data && [...agents.data, ...(chatAgents.data ?? [])]
  const demoAgent = agents.data?.find((agent) => isDemoName(agent.agent_name))
  const steps = listSetupSteps({
    hasDemoAgent: demoAgent !== undefined,
    hasConversation: can('createWebCall') ? hasConversation : null,
    hasAgent: allAgents?.some((agent) => !isDemoName(agent.agent_name)) ?? null,
    hasProviderKey: providerKeys.data ? providerKeys.data.length > 0 : null,
    hasUsedApi: tokens.data?.some(({ lastUsedAt }) => lastUsedAt !== null) ?? null,
  })
  const nextStep = steps.find(({ isDone }) => !isDone)?.name
  // Waits for all requests, because a growing list would move its buttons.
  const isLoaded = [providerKeys, agents, chatAgents, tokens].every(
    ({ fetchStatus, isPending }) => !isPending || fetchStatus === 'idle',
  )
  if (nextStep === undefined || isLoading || !isLoaded) return null
  const stepLabels = buildStepLabels(t, demoAgent?.agent_name.replace(/\(demo\)\s*$/, '').trim() ?? null)
  const buildLinkProps = (name: SetupStepName) =>
    name === 'talk' && demoAgent
      ? ({ to: '/$workspaceId/agents/$agentId', params: { workspaceId, agentId: demoAgent.agent_id } } as const)
      : ({ to: PAGES[name], params: { workspaceId } } as const)
  return (
    <Panel title={t('Get started')}>
      <ol className="-my-3 flex flex-col divide-y divide-line">
        {steps.map(({ name, isDone }) => {
          const { title, help, action } = stepLabels[name]
          const Icon = isDone ? CircleCheck : Circle
          return (
            <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
              <Icon aria-hidden="true" className={isDone ? 'size-5 text-good' : 'size-5 text-muted'} />
              <div className="min-w-0 flex-1 basis-52">
                <p className="font-medium" dir="auto">
                  {title}
                </p>
                <p className="text-muted">{help}</p>
              </div>
              {isDone ? (
                <Badge tone="good">{t('Done')}</Badge>
              ) : (
                <span className="ps-8 sm:ps-0">
                  <ButtonLink
                    {...buildLinkProps(name)}
                    kind={name === nextStep ? 'primary' : 'plain'}
                    onClick={() => {
                      if (name === 'agent') requestHotkey(`/${workspaceId}/agents`, 'n')
                    }}
                  >
                    {action}
                  </ButtonLink>
                </span>
              )}
            </li>
          )
        })}
      </ol>
    </Panel>
  )
}

const PAGES = {
  talk: '/$workspaceId/agents',
  agent: '/$workspaceId/agents',
  key: '/$workspaceId/provider-keys',
  api: '/$workspaceId/tokens',
} as const satisfies Readonly<Record<SetupStepName, string>>

/** Builds the labels of each step. `demoName` is the name of the demo agent, or null if there is none. */
function buildStepLabels(t: Translate, demoName: string | null) {
  const talkTitle = demoName === null ? t('Talk to your agent') : t('Talk to {name}', { name: demoName })
  return {
    talk: {
      title: talkTitle,
      help:
        demoName === null
          ? t('Open an agent and use its test panel to chat or talk.')
          : t('Talk to the demo agent of a bike repair shop by chat or voice. No provider key required.'),
      action: demoName === null ? t('Open agents') : talkTitle,
    },
    agent: {
      title: t('Create your agent'),
      help: t('Start from a template or from your own instructions.'),
      action: t('Create agent'),
    },
    key: {
      title: t('Add a provider key'),
      help: t('Use models and voices of OpenAI, Anthropic and others. The built-in offline model needs no key.'),
      action: t('Add key'),
    },
    api: {
      title: t('Connect your app'),
      help: t('Create an API token and start chats and web calls from your website or app.'),
      action: t('API tokens'),
    },
  } satisfies Readonly<Record<SetupStepName, object>>
}
