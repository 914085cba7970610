import { Page } from '../../components/page.tsx'

export function ChatAgentVersionsScreen() {
  return <Page title="ChatAgentVersionsScreen">…</Page>
}
