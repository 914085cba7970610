import { ArrowRight } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Panel } from '../../components/page.tsx'
import { useText } from '../../lib/language.ts'
import { type Graph, isUnreachable, type OutlinedEdge, type OutlinedNode } from './flow-outline.ts'

export interface FlowNodesProps {
  readonly graphs: readonly Graph[]
  readonly warnings: readonly string[]
  readonly onShow: (path: string) => void
}

/** Lists the nodes of the flow and its components, with their edges. */
export function FlowNodes({ graphs, warnings, onShow }: FlowNodesProps) {
  const t = useText()
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {graphs.map((graph, index) => (
        <Panel
          key={index === 0 ? '' : `${index} ${graph.name}`}
          title={graph.name === null ? t('Nodes') : t('Component {name}', { name: graph.name })}
          description={t('{count, plural, =0 {No nodes} one {# node} other {# nodes}}', {
            count: graph.nodes.length,
          })}
        >
          <ul className="-mx-4 flex flex-col divide-y divide-line border-t border-line sm:-mx-5">
            {graph.nodes.map((node) => (
              <NodeRow
                key={node.path}
                node={node}
                isUnreachable={isUnreachable(warnings, graph, node.id)}
                getNodeName={(id) => graph.nodes.find((node) => node.id === id)?.name || id}
                onShow={onShow}
              />
            ))}
          </ul>
        </Panel>
      ))}
    </div>
  )
}

interface NodeRowProps {
  readonly node: OutlinedNode
  readonly isUnreachable: boolean
  readonly getNodeName: (id: string) => string
  readonly onShow: (path: string) => void
}

function NodeRow({ node, isUnreachable, getNodeName, onShow }: NodeRowProps) {
  const t = useText()
  return (
    <li className="grid min-w-0 gap-x-5 gap-y-2 px-4 py-3 sm:px-5 md:grid-cols-[minmax(0,14rem)_minmax(0,1fr)_minmax(0,1.2fr)]">
      <div className="flex min-w-0 flex-col items-start gap-1">
        <button
          type="button"
          className="max-w-full text-start font-medium hover:underline"
          dir="auto"
          title={t('Show in JSON')}
          onClick={() => onShow(node.path)}
        >
          {node.name || node.id || t('No ID')}
        </button>
        {node.name !== '' && <code className="max-w-full truncate text-xs text-muted">{node.id}</code>}
        <span className="flex flex-wrap gap-1">
          <Badge>{node.type === '' ? t('No type') : t(node.type)}</Badge>
          {node.isStart && <Badge tone="good">{t('Start')}</Badge>}
          {node.isGlobal && <Badge tone="brand">{t('Global')}</Badge>}
          {isUnreachable && <Badge tone="warn">{t('Unreachable')}</Badge>}
        </span>
      </div>
      <p className="line-clamp-4 min-w-0 break-words text-muted" dir="auto">
        {node.text}
      </p>
      <ul className="flex min-w-0 flex-col gap-1" aria-label={t('Edges')}>
        {node.edges.map((edge) => (
          <EdgeRow key={edge.path} edge={edge} getNodeName={getNodeName} onShow={onShow} />
        ))}
      </ul>
    </li>
  )
}

function EdgeRow({
  edge: { path, condition, implicitCondition: label, destination, hasKnownDestination: isKnown },
  getNodeName,
  onShow,
}: {
  readonly edge: OutlinedEdge
  readonly getNodeName: (id: string) => string
  readonly onShow: (path: string) => void
}) {
  const t = useText()
  const conditionText = label === null ? condition : t(label)
  return (
    <li className="flex min-w-0 items-start gap-2">
      <ArrowRight aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted rtl:rotate-180" />
      <span className="min-w-0 break-words">
        <button
          type="button"
          className="max-w-full text-start font-medium hover:underline"
          dir="auto"
          title={t('Show in JSON')}
          onClick={() => onShow(path)}
        >
          {destination === null ? t('no node') : getNodeName(destination)}
        </button>{' '}
        {destination !== null && !isKnown && <Badge tone="bad">{t('Unknown node')}</Badge>}{' '}
        {conditionText !== '' && (
          <span className="text-muted" dir="auto">
            {conditionText}
          </span>
        )}
      </span>
    </li>
  )
}
