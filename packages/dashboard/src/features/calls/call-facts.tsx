import { Link } from '@tanstack/react-router'
import { CopyText } from '../../components/copy-button.tsx'
import { Moment } from '../../components/moment.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { useText } from '../../lib/language.ts'
import type { ShownCall } from './call-state.ts'
import { directionWord, REASONS } from './call-words.ts'

/** Who, when, why it ended, and what it is called elsewhere. */
export function CallFacts({ call }: { readonly call: ShownCall }) {
  const t = useText()
  const { workspaceId, agentId, agentVersion, agentPath, parentCallId, disconnectionReason } = call
  const agentLink = (id: string, name: string) => (
    <Link
      key={id}
      to="/$workspaceId/agents/$agentId"
      params={{ workspaceId, agentId: id }}
      className="underline underline-offset-2"
    >
      {name}
    </Link>
  )
  return (
    <Panel title={t('Details')}>
      <Facts
        items={[
          [t('Agent'), agentLink(agentId, `${call.agentName || t('Without a name')}, v${agentVersion}`)],
          ...agentPath
            .slice(1)
            .map(
              (step, at) =>
                [
                  t('Then, {number}', { number: at + 2 }),
                  agentLink(step.agentId, `${step.agentId}, v${step.agentVersion}`),
                ] as const,
            ),
          [t('Direction'), t(directionWord(call.direction))],
          ...(call.fromNumber === null ? [] : [[t('From number'), call.fromNumber] as const]),
          ...(call.toNumber === null ? [] : [[t('To number'), call.toNumber] as const]),
          [t('Made'), <Moment key="made" at={call.createdAt} />],
          [t('Began'), <Moment key="began" at={call.startedAt} />],
          [t('Ended'), <Moment key="ended" at={call.endedAt} />],
          ...(disconnectionReason === null ? [] : [[t('Why it ended'), t(REASONS[disconnectionReason])] as const]),
          [t('Call id'), <CopyText key="id" text={call.callId} />],
          [t('Agent id'), <CopyText key="agent" text={agentId} />],
          ...(parentCallId === null
            ? []
            : [
                [
                  t('Part of'),
                  <Link
                    key="parent"
                    to="/$workspaceId/calls/$callId"
                    params={{ workspaceId, callId: parentCallId }}
                    className="underline underline-offset-2"
                  >
                    {parentCallId}
                  </Link>,
                ] as const,
              ]),
        ]}
      />
    </Panel>
  )
}
