"""Any real Kubernetes cluster from a kubeconfig."""
