import { Page } from '../../components/page.tsx'

export function AgentVersionsScreen() {
  return <Page title="AgentVersionsScreen">…</Page>
}
