"""The structs of Kubernetes 1.36 with their fields in the order of their declaration.

Only those that kubectl prints and whose order is not that of the alphabet.
"""

from __future__ import annotations

STRUCTS = """
apps.DaemonSet: kind apiVersion metadata spec status
apps.DaemonSetCondition: type status lastTransitionTime reason message
apps.DaemonSetSpec: selector template updateStrategy minReadySeconds revisionHistoryLimit
apps.DaemonSetStatus: currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady
  observedGeneration updatedNumberScheduled numberAvailable numberUnavailable collisionCount
  conditions
apps.DaemonSetUpdateStrategy: type rollingUpdate
apps.Deployment: kind apiVersion metadata spec status
apps.DeploymentCondition: type status lastUpdateTime lastTransitionTime reason message
apps.DeploymentSpec: replicas selector template strategy minReadySeconds revisionHistoryLimit
  paused progressDeadlineSeconds
apps.DeploymentStatus: observedGeneration replicas updatedReplicas readyReplicas availableReplicas
  unavailableReplicas terminatingReplicas conditions collisionCount
apps.DeploymentStrategy: type rollingUpdate
apps.ReplicaSet: kind apiVersion metadata spec status
apps.ReplicaSetCondition: type status lastTransitionTime reason message
apps.ReplicaSetSpec: replicas minReadySeconds selector template
apps.ReplicaSetStatus: replicas fullyLabeledReplicas readyReplicas availableReplicas
  terminatingReplicas observedGeneration conditions
apps.RollingUpdateDaemonSet: maxUnavailable maxSurge
apps.RollingUpdateDeployment: maxUnavailable maxSurge
apps.RollingUpdateStatefulSetStrategy: partition maxUnavailable
apps.StatefulSet: kind apiVersion metadata spec status
apps.StatefulSetCondition: type status lastTransitionTime reason message
apps.StatefulSetSpec: replicas selector template volumeClaimTemplates serviceName
  podManagementPolicy updateStrategy revisionHistoryLimit minReadySeconds
  persistentVolumeClaimRetentionPolicy ordinals
apps.StatefulSetStatus: observedGeneration replicas readyReplicas currentReplicas updatedReplicas
  currentRevision updateRevision collisionCount conditions availableReplicas
apps.StatefulSetUpdateStrategy: type rollingUpdate
autoscaling.CrossVersionObjectReference: kind name apiVersion
autoscaling.HorizontalPodAutoscaler: kind apiVersion metadata spec status
autoscaling.HorizontalPodAutoscalerSpec: scaleTargetRef minReplicas maxReplicas
  targetCPUUtilizationPercentage
autoscaling.HorizontalPodAutoscalerStatus: observedGeneration lastScaleTime currentReplicas
  desiredReplicas currentCPUUtilizationPercentage
autoscaling.v2.ContainerResourceMetricSource: name target container
autoscaling.v2.ContainerResourceMetricStatus: name current container
autoscaling.v2.CrossVersionObjectReference: kind name apiVersion
autoscaling.v2.ExternalMetricStatus: metric current
autoscaling.v2.HPAScalingPolicy: type value periodSeconds
autoscaling.v2.HPAScalingRules: stabilizationWindowSeconds selectPolicy policies tolerance
autoscaling.v2.HorizontalPodAutoscaler: kind apiVersion metadata spec status
autoscaling.v2.HorizontalPodAutoscalerBehavior: scaleUp scaleDown
autoscaling.v2.HorizontalPodAutoscalerCondition: type status lastTransitionTime reason message
autoscaling.v2.HorizontalPodAutoscalerSpec: scaleTargetRef minReplicas maxReplicas metrics
  behavior
autoscaling.v2.HorizontalPodAutoscalerStatus: observedGeneration lastScaleTime currentReplicas
  desiredReplicas currentMetrics conditions
autoscaling.v2.MetricSpec: type object pods resource containerResource external
autoscaling.v2.MetricStatus: type object pods resource containerResource external
autoscaling.v2.MetricTarget: type value averageValue averageUtilization
autoscaling.v2.MetricValueStatus: value averageValue averageUtilization
autoscaling.v2.ObjectMetricSource: describedObject target metric
autoscaling.v2.ObjectMetricStatus: metric current describedObject
autoscaling.v2.PodsMetricStatus: metric current
autoscaling.v2.ResourceMetricStatus: name current
batch.CronJob: kind apiVersion metadata spec status
batch.CronJobSpec: schedule timeZone startingDeadlineSeconds concurrencyPolicy suspend jobTemplate
  successfulJobsHistoryLimit failedJobsHistoryLimit
batch.Job: kind apiVersion metadata spec status
batch.JobCondition: type status lastProbeTime lastTransitionTime reason message
batch.JobSpec: parallelism completions activeDeadlineSeconds podFailurePolicy successPolicy
  backoffLimit backoffLimitPerIndex maxFailedIndexes selector manualSelector template
  ttlSecondsAfterFinished completionMode suspend podReplacementPolicy managedBy
batch.JobStatus: conditions startTime completionTime active succeeded failed terminating
  completedIndexes failedIndexes uncountedTerminatedPods ready
batch.PodFailurePolicyOnPodConditionsPattern: type status
batch.SuccessPolicyRule: succeededIndexes succeededCount
batch.UncountedTerminatedPods: succeeded failed
core.AWSElasticBlockStoreVolumeSource: volumeID fsType partition readOnly
core.AppArmorProfile: type localhostProfile
core.AttachedVolume: name devicePath
core.AzureDiskVolumeSource: diskName diskURI cachingMode fsType readOnly kind
core.AzureFileVolumeSource: secretName shareName readOnly
core.CSIVolumeSource: driver readOnly fsType volumeAttributes nodePublishSecretRef
core.CephFSVolumeSource: monitors path user secretFile secretRef readOnly
core.CinderVolumeSource: volumeID fsType readOnly secretRef
core.ClusterTrustBundleProjection: name signerName labelSelector optional path
core.ConfigMap: kind apiVersion metadata immutable data binaryData
core.ConfigMapKeySelector: name key optional
core.ConfigMapNodeConfigSource: namespace name uid resourceVersion kubeletConfigKey
core.ConfigMapProjection: name items optional
core.ConfigMapVolumeSource: name items defaultMode optional
core.Container: name image command args workingDir ports envFrom env resources resizePolicy
  restartPolicy restartPolicyRules volumeMounts volumeDevices livenessProbe readinessProbe
  startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy
  securityContext stdin stdinOnce tty
core.ContainerExtendedResourceRequest: containerName resourceName requestName
core.ContainerPort: name hostPort containerPort protocol hostIP
core.ContainerState: waiting running terminated
core.ContainerStateTerminated: exitCode signal reason message startedAt finishedAt containerID
core.ContainerStateWaiting: reason message
core.ContainerStatus: name state lastState ready restartCount image imageID containerID started
  allocatedResources resources volumeMounts user allocatedResourcesStatus stopSignal
core.DownwardAPIVolumeFile: path fieldRef resourceFieldRef mode
core.DownwardAPIVolumeSource: items defaultMode
core.EnvFromSource: prefix configMapRef secretRef
core.EnvVarSource: fieldRef resourceFieldRef configMapKeyRef secretKeyRef fileKeyRef
core.EphemeralContainer: name image command args workingDir ports envFrom env resources
  resizePolicy restartPolicy restartPolicyRules volumeMounts volumeDevices livenessProbe
  readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy
  imagePullPolicy securityContext stdin stdinOnce tty targetContainerName
core.Event: kind apiVersion metadata involvedObject reason message source firstTimestamp
  lastTimestamp count type eventTime series action related reportingComponent reportingInstance
core.FCVolumeSource: targetWWNs lun fsType readOnly wwids
core.FileKeySelector: volumeName path key optional
core.FlexVolumeSource: driver fsType secretRef readOnly options
core.GCEPersistentDiskVolumeSource: pdName fsType partition readOnly
core.GitRepoVolumeSource: repository revision directory
core.HTTPGetAction: path port host scheme httpHeaders
core.HostAlias: ip hostnames
core.ISCSIVolumeSource: targetPortal iqn lun iscsiInterface fsType readOnly portals
  chapAuthDiscovery chapAuthSession secretRef initiatorName
core.ImageVolumeSource: reference pullPolicy
core.KeyToPath: key path mode
core.LifecycleHandler: exec httpGet tcpSocket sleep
core.LinuxContainerUser: uid gid supplementalGroups
core.LoadBalancerIngress: ip hostname ipMode ports
core.ModifyVolumeStatus: targetVolumeAttributesClassName status
core.NFSVolumeSource: server path readOnly
core.Namespace: kind apiVersion metadata spec status
core.NamespaceCondition: type status lastTransitionTime reason message
core.NamespaceStatus: phase conditions
core.Node: kind apiVersion metadata spec status
core.NodeAddress: type address
core.NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution
  preferredDuringSchedulingIgnoredDuringExecution
core.NodeAllocatableResourceClaimStatus: resourceClaimName containers resources
core.NodeCondition: type status lastHeartbeatTime lastTransitionTime reason message
core.NodeConfigStatus: assigned active lastKnownGood error
core.NodeRuntimeHandler: name features
core.NodeSpec: podCIDR podCIDRs providerID unschedulable taints configSource externalID
core.NodeStatus: capacity allocatable phase conditions addresses daemonEndpoints nodeInfo images
  volumesInUse volumesAttached config runtimeHandlers features declaredFeatures
core.NodeSystemInfo: machineID systemUUID bootID kernelVersion osImage containerRuntimeVersion
  kubeletVersion kubeProxyVersion operatingSystem architecture swap
core.ObjectReference: kind namespace name uid apiVersion resourceVersion fieldPath
core.PersistentVolumeClaim: kind apiVersion metadata spec status
core.PersistentVolumeClaimCondition: type status lastProbeTime lastTransitionTime reason message
core.PersistentVolumeClaimSpec: accessModes selector resources volumeName storageClassName
  volumeMode dataSource dataSourceRef volumeAttributesClassName
core.PersistentVolumeClaimStatus: phase accessModes capacity conditions allocatedResources
  allocatedResourceStatuses currentVolumeAttributesClassName modifyVolumeStatus
core.PhotonPersistentDiskVolumeSource: pdID fsType
core.Pod: kind apiVersion metadata spec status
core.PodAffinity: requiredDuringSchedulingIgnoredDuringExecution
  preferredDuringSchedulingIgnoredDuringExecution
core.PodAffinityTerm: labelSelector namespaces topologyKey namespaceSelector matchLabelKeys
  mismatchLabelKeys
core.PodAntiAffinity: requiredDuringSchedulingIgnoredDuringExecution
  preferredDuringSchedulingIgnoredDuringExecution
core.PodCertificateProjection: signerName keyType maxExpirationSeconds credentialBundlePath
  keyPath certificateChainPath userAnnotations
core.PodCondition: type observedGeneration status lastProbeTime lastTransitionTime reason message
core.PodDNSConfig: nameservers searches options
core.PodSecurityContext: seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot
  supplementalGroups supplementalGroupsPolicy fsGroup sysctls fsGroupChangePolicy seccompProfile
  appArmorProfile seLinuxChangePolicy
core.PodSpec: volumes initContainers containers ephemeralContainers restartPolicy
  terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName
  serviceAccount automountServiceAccountToken nodeName hostNetwork hostPID hostIPC
  shareProcessNamespace securityContext imagePullSecrets hostname subdomain affinity schedulerName
  tolerations hostAliases priorityClassName priority dnsConfig readinessGates runtimeClassName
  enableServiceLinks preemptionPolicy overhead topologySpreadConstraints setHostnameAsFQDN os
  hostUsers schedulingGates resourceClaims resources hostnameOverride schedulingGroup
core.PodStatus: observedGeneration phase conditions message reason nominatedNodeName hostIP
  hostIPs podIP podIPs startTime initContainerStatuses containerStatuses qosClass
  ephemeralContainerStatuses resize resourceClaimStatuses extendedResourceClaimStatus
  allocatedResources resources nodeAllocatableResourceClaimStatuses
core.PortStatus: port protocol error
core.PortworxVolumeSource: volumeID fsType readOnly
core.PreferredSchedulingTerm: weight preference
core.Probe: exec httpGet tcpSocket grpc initialDelaySeconds timeoutSeconds periodSeconds
  successThreshold failureThreshold terminationGracePeriodSeconds
core.ProjectedVolumeSource: sources defaultMode
core.QuobyteVolumeSource: registry volume readOnly user group tenant
core.RBDVolumeSource: monitors image fsType pool user keyring secretRef readOnly
core.ResourceFieldSelector: containerName resource divisor
core.ResourceHealth: resourceID health message
core.ResourceQuota: kind apiVersion metadata spec status
core.ResourceQuotaSpec: hard scopes scopeSelector
core.ResourceRequirements: limits requests claims
core.SELinuxOptions: user role type level
core.ScaleIOVolumeSource: gateway system secretRef sslEnabled protectionDomain storagePool
  storageMode volumeName fsType readOnly
core.ScopedResourceSelectorRequirement: scopeName operator values
core.SeccompProfile: type localhostProfile
core.Secret: kind apiVersion metadata immutable data stringData type
core.SecretKeySelector: name key optional
core.SecretProjection: name items optional
core.SecretVolumeSource: secretName items defaultMode optional
core.SecurityContext: capabilities privileged seLinuxOptions windowsOptions runAsUser runAsGroup
  runAsNonRoot readOnlyRootFilesystem allowPrivilegeEscalation procMount seccompProfile
  appArmorProfile
core.Service: kind apiVersion metadata spec status
core.ServiceAccount: kind apiVersion metadata secrets imagePullSecrets
  automountServiceAccountToken
core.ServicePort: name protocol appProtocol port targetPort nodePort
core.ServiceSpec: ports selector clusterIP clusterIPs type externalIPs sessionAffinity
  loadBalancerIP loadBalancerSourceRanges externalName externalTrafficPolicy healthCheckNodePort
  publishNotReadyAddresses sessionAffinityConfig ipFamilies ipFamilyPolicy
  allocateLoadBalancerNodePorts loadBalancerClass internalTrafficPolicy trafficDistribution
core.ServiceStatus: loadBalancer conditions
core.StorageOSVolumeSource: volumeName volumeNamespace fsType readOnly secretRef
core.TCPSocketAction: port host
core.Taint: key value effect timeAdded
core.Toleration: key operator value effect tolerationSeconds
core.TopologySpreadConstraint: maxSkew topologyKey whenUnsatisfiable labelSelector minDomains
  nodeAffinityPolicy nodeTaintsPolicy matchLabelKeys
core.Volume: name hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs
  iscsi glusterfs persistentVolumeClaim rbd flexVolume cinder cephfs flocker downwardAPI fc
  azureFile configMap vsphereVolume quobyte azureDisk photonPersistentDisk projected
  portworxVolume scaleIO storageos csi ephemeral image
core.VolumeDevice: name devicePath
core.VolumeMount: name readOnly recursiveReadOnly mountPath subPath mountPropagation subPathExpr
core.VolumeMountStatus: name mountPath readOnly recursiveReadOnly volumeStatus
core.VolumeProjection: secret downwardAPI configMap serviceAccountToken clusterTrustBundle
  podCertificate
core.VsphereVirtualDiskVolumeSource: volumePath fsType storagePolicyName storagePolicyID
core.WeightedPodAffinityTerm: weight podAffinityTerm
core.WindowsSecurityContextOptions: gmsaCredentialSpecName gmsaCredentialSpec runAsUserName
  hostProcess
networking.HTTPIngressPath: path pathType backend
networking.Ingress: kind apiVersion metadata spec status
networking.IngressBackend: service resource
networking.IngressLoadBalancerIngress: ip hostname ports
networking.IngressPortStatus: port protocol error
networking.IngressSpec: ingressClassName defaultBackend tls rules
policy.PodDisruptionBudget: kind apiVersion metadata spec status
policy.PodDisruptionBudgetSpec: minAvailable selector maxUnavailable unhealthyPodEvictionPolicy
policy.PodDisruptionBudgetStatus: observedGeneration disruptedPods disruptionsAllowed
  currentHealthy desiredHealthy expectedPods conditions
rbac.ClusterRole: kind apiVersion metadata rules aggregationRule
rbac.ClusterRoleBinding: kind apiVersion metadata subjects roleRef
rbac.PolicyRule: verbs apiGroups resources resourceNames nonResourceURLs
rbac.Role: kind apiVersion metadata rules
rbac.RoleBinding: kind apiVersion metadata subjects roleRef
rbac.Subject: kind apiGroup name namespace
scheduling.PriorityClass: kind apiVersion metadata value globalDefault description
  preemptionPolicy
meta.Condition: type status observedGeneration lastTransitionTime reason message
meta.LabelSelector: matchLabels matchExpressions
meta.ManagedFieldsEntry: manager operation apiVersion time fieldsType fieldsV1 subresource
meta.ObjectMeta: name generateName namespace selfLink uid resourceVersion generation
  creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels annotations
  ownerReferences finalizers managedFields
meta.OwnerReference: apiVersion kind name uid controller blockOwnerDeletion
"""
