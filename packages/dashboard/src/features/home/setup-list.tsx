import { Circle, CircleCheck } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { message, useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { nextStep, type SetupStepName, setupSteps } from './setup-steps.ts'

const STEPS = {
  key: {
    title: message('Add a key of a model provider'),
    help: message(
      'Or stay with the built-in offline model: it needs no key, follows rules and is good for trying things.',
    ),
    to: '/$workspaceId/provider-keys',
    action: message('Add a key'),
  },
  agent: {
    title: message('Make an agent'),
    help: message('A prompt and a voice are enough to begin with.'),
    to: '/$workspaceId/agents',
    action: message('Make an agent'),
  },
  talk: {
    title: message('Talk with it'),
    help: message('Open the agent and choose Test: by chat, or by voice with your microphone.'),
    to: '/$workspaceId/agents',
    action: message('Open the agents'),
  },
  number: {
    title: message('Add a phone number'),
    help: message('Choose which agents answer it, and how often each.'),
    to: '/$workspaceId/numbers',
    action: message('Add a number'),
  },
} as const satisfies Readonly<Record<SetupStepName, object>>

/** The way to the first call, until it is gone to its end. */
export function SetupList({
  hasTalked,
  isWaiting,
}: {
  readonly hasTalked: boolean | null
  /** Whether it is not known yet if anybody has talked. */
  readonly isWaiting: boolean
}) {
  const t = useText()
  const may = useMay()
  const workspaceId = useWorkspaceId()
  const one = { query: { limit: 1 } } as const
  const keys = useRead('listProviderKeys', one, { enabled: may('listProviderKeys') })
  const agents = useRead('listAgents', one, { enabled: may('createAgent') })
  const numbers = useRead('listNumbers', one, { enabled: may('createNumber') })
  const isSome = (rows: readonly unknown[] | undefined): boolean | null => (rows === undefined ? null : rows.length > 0)
  const steps = setupSteps({
    hasKey: isSome(keys.data),
    hasAgent: isSome(agents.data),
    hasTalked: may('createWebCall') ? hasTalked : null,
    hasNumber: isSome(numbers.data),
  })
  const next = nextStep(steps)
  // Whole or not at all: a list that grows would move what is about to be clicked.
  const isRead = [keys, agents, numbers].every(({ fetchStatus, isPending }) => !isPending || fetchStatus === 'idle')
  if (next === null || isWaiting || !isRead) return null
  return (
    <Panel title={t('Set up')} description={t('From here to an agent that answers a phone number.')}>
      <ol className="flex flex-col divide-y divide-line">
        {steps.map(({ name, isDone }) => {
          const step = STEPS[name]
          const Icon = isDone ? CircleCheck : Circle
          return (
            <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
              <Icon aria-hidden="true" className={isDone ? 'size-5 text-good' : 'size-5 text-muted'} />
              <div className="min-w-0 flex-1 basis-52">
                <p className="font-medium">{t(step.title)}</p>
                <p className="text-muted">{t(step.help)}</p>
              </div>
              {isDone ? (
                <Badge tone="good">{t('Done')}</Badge>
              ) : (
                <span className="ps-8 sm:ps-0">
                  <ButtonLink to={step.to} params={{ workspaceId }} kind={name === next ? 'primary' : 'plain'}>
                    {t(step.action)}
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
