import { Page } from '../../components/page.tsx'

export function FlowVersionsScreen() {
  return <Page title="FlowVersionsScreen">…</Page>
}
